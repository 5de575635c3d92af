/** Percentages are of this and the window before it. */
const WINDOW_MS = 5_000;
/** A larger gap is a sender that was restarted, or a frame that was late. */
const LARGEST_GAP = 127;

/**
 * The share of a vehicle's frames that arrive, by the numbers that it gives them. Its fields are integers of one object,
 * since it is touched for each frame of each vehicle.
 */
export class LinkQuality {
  private last = -1;
  private since = Math.floor(performance.now());
  private came = 0;
  private missed = 0;
  /** Of the window before. */
  private cameBefore = 0;
  private missedBefore = 0;

  /** A frame came with this sequence number. */
  add(sequence: number, now = performance.now()): void {
    if (now - this.since >= WINDOW_MS) this.turnWindow(now);
    const gap = this.last < 0 ? 0 : (sequence - this.last - 1) & 0xff;
    this.last = sequence;
    this.came += 1;
    if (gap <= LARGEST_GAP) this.missed += gap;
  }

  /** Percent over the last five to ten seconds; null when nothing came. */
  get percent(): number | null {
    const now = performance.now();
    if (now - this.since >= WINDOW_MS) this.turnWindow(now);
    const came = this.came + this.cameBefore;
    const missed = this.missed + this.missedBefore;
    return came === 0 ? null : Math.round((came / (came + missed)) * 1000) / 10;
  }

  private turnWindow(now: number): void {
    const isNext = now - this.since < 2 * WINDOW_MS;
    this.cameBefore = isNext ? this.came : 0;
    this.missedBefore = isNext ? this.missed : 0;
    this.came = 0;
    this.missed = 0;
    this.since = Math.floor(now);
  }
}
