import { DomainError } from "../domain/errors";
import { Counter, Gauge, type Registry } from "../platform/process/metrics";

/** How soon a caller who was refused may ask again. */
const RETRY_AFTER_SECONDS = 5;

const codes = { caller: "too_many_requests", process: "overloaded", waiting: "too_many_requests" } as const;

/** `caller`, `process`: whose limit was met. `waiting`: too many wait, where any do. */
type Reason = keyof typeof codes;

export interface HeldBytesOptions {
  /** Bytes. */
  readonly ofCaller: number;
  /** Bytes; see `HeldBytes.admit`. */
  readonly ofAll: number;
  readonly gauge: { readonly name: string; readonly help: string };
  readonly refused: { readonly name: string; readonly help: string; readonly reasons: readonly Reason[] };
  /** What a refused caller is told. */
  readonly words: Readonly<Record<"caller" | "process", string>>;
}

/**
 * Bytes that a process holds for its callers. Those who hold much share what there is: while all together have their
 * limit nobody gets more who has any, and a newcomer still does, until all together have twice as much.
 */
export class HeldBytes {
  private readonly held = new Map<string, number>();
  private readonly refused: Counter<"reason">;
  private all = 0;

  constructor(
    private readonly options: HeldBytesOptions,
    registry: Registry,
  ) {
    const total = () => this.all;
    new Gauge({
      ...options.gauge,
      registers: [registry],
      collect() {
        this.set(total());
      },
    });
    const { reasons, ...counter } = options.refused;
    this.refused = new Counter({ ...counter, labelNames: ["reason"], registers: [registry] });
    for (const reason of reasons) this.refused.inc({ reason }, 0);
  }

  /** Throws `too_many_requests` where this caller's limit is met, `overloaded` where the process's is. */
  admit(caller: string): void {
    const { ofCaller, ofAll, words } = this.options;
    const own = this.held.get(caller) ?? 0;
    if (own >= ofCaller) throw this.refusal("caller", words.caller);
    if (this.all >= (own > 0 ? ofAll : 2 * ofAll)) throw this.refusal("process", words.process);
  }

  /** Fewer when negative. */
  add(caller: string, bytes: number): void {
    this.all += bytes;
    const left = (this.held.get(caller) ?? 0) + bytes;
    if (left > 0) this.held.set(caller, left);
    else this.held.delete(caller);
  }

  /** Counted as told. */
  refusal(reason: Reason, words: string): DomainError {
    this.refused.inc({ reason });
    return new DomainError(codes[reason], `${words}; try again in a few seconds.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
