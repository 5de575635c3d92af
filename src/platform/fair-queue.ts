/** One that waits for its turn. */
interface Waiter {
  readonly begin: () => void;
  readonly turnAway: (error: unknown) => void;
}

export interface FairQueueOptions {
  /** Pieces of work that are done at the same time. */
  readonly atOnce: number;
  /** Of them, those of one line; as many as of all when absent. */
  readonly ofLineAtOnce?: number;
  /** Those that may wait beside them, of all lines together. */
  readonly mostWaiting: number;
  /** What one is told that finds no place, loses it, or left it. */
  readonly refusal: () => Error;
}

/**
 * Work that is done so many pieces at a time, while the others wait in lines. The first ones of the lines take turns, and
 * where too many wait the last of the longest line is turned away: who fills a line holds up those behind him, and nobody
 * in another line by more than one turn.
 */
export class FairQueue {
  /** The line whose turn is next comes first; none is empty. */
  private readonly lines = new Map<string, Waiter[]>();
  /** How many are worked on, by line; none is 0. */
  private readonly working = new Map<string, number>();
  private workingOfAll = 0;
  private waiting = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /** Rejects as `work` does, or with the refusal: no place was left, or `gone` was aborted before the turn came. */
  async run<T>(line: string, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    if (gone?.aborted) throw this.options.refusal();
    if (this.hasPlaceFor(line)) this.count(line, 1);
    else await this.turn(line, gone);
    try {
      return await work();
    } finally {
      this.count(line, -1);
      this.beginNext();
    }
  }

  private hasPlaceFor(line: string): boolean {
    const { atOnce, ofLineAtOnce = atOnce } = this.options;
    return this.workingOfAll < atOnce && (this.working.get(line) ?? 0) < ofLineAtOnce;
  }

  private count(line: string, change: 1 | -1): void {
    this.workingOfAll += change;
    const left = (this.working.get(line) ?? 0) + change;
    if (left > 0) this.working.set(line, left);
    else this.working.delete(line);
  }

  private turn(line: string, gone: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.remove(line, waiter);
        reject(this.options.refusal());
      };
      const settled = () => gone?.removeEventListener("abort", leave);
      const waiter: Waiter = {
        begin: () => {
          settled();
          resolve();
        },
        turnAway: (error) => {
          settled();
          reject(error);
        },
      };
      gone?.addEventListener("abort", leave, { once: true });
      this.lines.set(line, [...(this.lines.get(line) ?? []), waiter]);
      this.waiting += 1;
      if (this.waiting > this.options.mostWaiting) this.shorten();
    });
  }

  private beginNext(): void {
    const [line, waiters] = [...this.lines].find(([name]) => this.hasPlaceFor(name)) ?? ["", []];
    const [first, ...others] = waiters;
    if (!first) return;
    this.waiting -= 1;
    this.count(line, 1);
    // Behind the other lines.
    this.lines.delete(line);
    if (others.length > 0) this.lines.set(line, others);
    first.begin();
  }

  /** Of lines of the same length the newest. */
  private shorten(): void {
    const [line, waiters] = [...this.lines].reduce((longest, other) =>
      other[1].length >= longest[1].length ? other : longest,
    );
    const last = waiters.at(-1);
    if (!last) return;
    this.remove(line, last);
    last.turnAway(this.options.refusal());
  }

  private remove(line: string, waiter: Waiter): void {
    const left = (this.lines.get(line) ?? []).filter((other) => other !== waiter);
    this.waiting -= 1;
    if (left.length > 0) this.lines.set(line, left);
    else this.lines.delete(line);
  }
}
