/** Percentages are of this and the window before it. */
const WINDOW_MS = 5_000;
/** A larger gap is a sender that was restarted, or a frame that was late. */
const LARGEST_GAP = 127;

/** Frames of the sender: those that came, and those that did not. */
interface Counts {
  came: number;
  missed: number;
}

const none = (): Counts => ({ came: 0, missed: 0 });

/** The share of a vehicle's frames that arrive, by the numbers that it gives them. */
export class LinkQuality {
  private last: number | undefined;
  private since = performance.now();
  private now = none();
  private before = none();

  /** A frame came with this sequence number. */
  add(sequence: number): void {
    this.turnWindow();
    const gap = this.last === undefined ? 0 : (sequence - this.last - 1) & 0xff;
    this.last = sequence;
    this.now.came += 1;
    if (gap <= LARGEST_GAP) this.now.missed += gap;
  }

  /** Percent over the last five to ten seconds; null when nothing came. */
  get percent(): number | null {
    this.turnWindow();
    const came = this.now.came + this.before.came;
    const missed = this.now.missed + this.before.missed;
    return came === 0 ? null : Math.round((came / (came + missed)) * 1000) / 10;
  }

  private turnWindow(): void {
    const now = performance.now();
    const elapsed = now - this.since;
    if (elapsed < WINDOW_MS) return;
    this.before = elapsed < 2 * WINDOW_MS ? this.now : none();
    this.now = none();
    this.since = now;
  }
}
