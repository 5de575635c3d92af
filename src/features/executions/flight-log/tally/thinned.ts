/** Keeps an even selection of a row of unknown length: when it is full, every other point goes. The last one stays. */
export class Thinned<T> {
  private kept: T[] = [];
  private stride = 1;
  private offered = 0;
  private last: T | undefined;

  /** `most` points come out at most. */
  constructor(private readonly most: number) {}

  add(point: T): void {
    this.last = point;
    if (this.offered++ % this.stride !== 0) return;
    this.kept.push(point);
    if (this.kept.length < this.most) return;
    this.kept = this.kept.filter((_, at) => at % 2 === 0);
    this.stride *= 2;
  }

  get points(): readonly T[] {
    const { kept, last } = this;
    return last === undefined || kept.at(-1) === last ? kept : [...kept, last];
  }
}
