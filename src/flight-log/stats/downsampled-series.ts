/** Keeps evenly spaced points of a series of unknown length: when it is full, it drops every other point. */
export class DownsampledSeries<T> {
  private kept: T[] = [];
  private stride = 1;
  private untilNext = 0;

  /** `most` points come out at most. */
  constructor(private readonly most: number) {}

  /** Whether to keep the next point. Called once for each, so that the others need not be made. */
  isNext(): boolean {
    if (this.untilNext > 0) {
      this.untilNext--;
      return false;
    }
    this.untilNext = this.stride - 1;
    return true;
  }

  keep(point: T): void {
    this.kept.push(point);
    if (this.kept.length < this.most) return;
    // Of an odd count the last point stays and the stride continues from it; of an even one it is dropped.
    const lastStays = this.kept.length % 2 === 1;
    this.kept = this.kept.filter((_, at) => at % 2 === 0);
    this.untilNext = lastStays ? this.stride * 2 - 1 : this.stride - 1;
    this.stride *= 2;
  }

  /** The kept points and the last one. */
  upTo(last: T | undefined, isSame: (kept: T, last: T) => boolean): readonly T[] {
    const { kept } = this;
    const end = kept.at(-1);
    return last === undefined || (end !== undefined && isSame(end, last)) ? kept : [...kept, last];
  }
}
