/** How long something that keeps coming stays away. */
export class Gap {
  private last = Number.NEGATIVE_INFINITY;
  /** The longest gap since it was set to 0; infinite when it came for the first time meanwhile. */
  worstMs = 0;

  readonly answered = (): void => {
    this.worstMs = Math.max(this.worstMs, this.sinceMs);
    this.last = performance.now();
  };

  /** Since the last answer; infinite before the first. */
  get sinceMs(): number {
    return performance.now() - this.last;
  }
}
