/** An autopilot sends the messages of a tick in parts, within a millisecond or two. */
const COLLECT_MS = 2;

interface Flushed {
  flush(): void;
}

/** Flushes feeds some time after their first frames, all of that time by one timer. */
export class FlushTimer {
  private due: Flushed[] = [];

  /** To be flushed once, soon. */
  add(feed: Flushed): void {
    if (this.due.push(feed) === 1) setTimeout(() => this.flush(), COLLECT_MS);
  }

  private flush(): void {
    const { due } = this;
    this.due = [];
    for (const feed of due) feed.flush();
  }
}
