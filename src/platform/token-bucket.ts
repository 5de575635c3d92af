/** An allowance of so much a second, of which one second's worth may be used at once. */
export class TokenBucket {
  private balance: number;
  private countedAt = performance.now();

  constructor(private readonly perSecond: number) {
    this.balance = perSecond;
  }

  /** Takes it, also from what the next seconds bring; returns the milliseconds until that is made up for, or 0. */
  take(amount: number, now = performance.now()): number {
    const earned = ((now - this.countedAt) * this.perSecond) / 1_000;
    this.countedAt = now;
    this.balance = Math.min(this.perSecond, this.balance + earned) - amount;
    return this.balance < 0 ? (-this.balance * 1_000) / this.perSecond : 0;
  }
}
