export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Minimum, maximum and mean of numbers that are not kept. Ignores NaN and infinities. */
export class RunningStats {
  private count = 0;
  private sum = 0;
  private least = Number.POSITIVE_INFINITY;
  private greatest = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    this.count++;
    this.sum += value;
    if (value < this.least) this.least = value;
    if (value > this.greatest) this.greatest = value;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get min(): number | null {
    return this.count === 0 ? null : this.least;
  }

  get max(): number | null {
    return this.count === 0 ? null : this.greatest;
  }

  get mean(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}
