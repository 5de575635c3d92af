export interface HeldBytesLimits {
  /** Bytes. */
  readonly ofCaller: number;
  /** Bytes; see `HeldBytes.full`. */
  readonly ofAll: number;
}

/**
 * Bytes that a process holds for its callers. Those who hold much share what there is: while all together have their
 * limit nobody gets more who has any, and a newcomer still does, until all together have twice as much.
 */
export class HeldBytes {
  private readonly held = new Map<string, number>();
  private all = 0;

  constructor(private readonly limits: HeldBytesLimits) {}

  get total(): number {
    return this.all;
  }

  /** Whose limit is met, so that this caller may hold nothing more: his own, or the process's. */
  full(caller: string): "caller" | "process" | undefined {
    const { ofCaller, ofAll } = this.limits;
    const own = this.held.get(caller) ?? 0;
    if (own >= ofCaller) return "caller";
    return this.all >= (own > 0 ? ofAll : 2 * ofAll) ? "process" : undefined;
  }

  /** Fewer when negative. */
  add(caller: string, bytes: number): void {
    this.all += bytes;
    const left = (this.held.get(caller) ?? 0) + bytes;
    if (left > 0) this.held.set(caller, left);
    else this.held.delete(caller);
  }
}
