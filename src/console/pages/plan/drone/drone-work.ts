import { type ReadonlySignal, signal } from "@preact/signals";
import { OrderLog } from "../../../orders/order-log";
import { errorText } from "../../../parts/error-text";

export type WorkKind = "push" | "compare" | "assign" | "sync" | "clear";

/** What is done with a drone on the page of a plan. One thing at a time; it is kept while another panel is shown. */
export class DroneWork {
  readonly chosen = signal<number | undefined>(undefined);
  readonly log = new OrderLog();
  private readonly underWay = signal<WorkKind | undefined>(undefined);
  private readonly failed = signal("");
  private readonly forceable = signal(false);

  get busy(): ReadonlySignal<WorkKind | undefined> {
    return this.underWay;
  }
  /** Why the last thing failed that was no order. Empty when it did not. */
  get failure(): ReadonlySignal<string> {
    return this.failed;
  }
  /** The last order was refused unless it is forced. */
  get mayForce(): ReadonlySignal<boolean> {
    return this.forceable;
  }

  async run(kind: WorkKind, act: () => Promise<void>): Promise<void> {
    if (this.underWay.peek()) return;
    this.underWay.value = kind;
    this.failed.value = "";
    this.forceable.value = false;
    try {
      await act();
    } catch (error) {
      this.failed.value = errorText(error);
    } finally {
      this.underWay.value = undefined;
    }
  }

  /** Gives the order within `run`. Returns its result or, when it was not carried out, why. */
  async order<Result extends { message: string }>(
    label: string,
    send: () => Promise<Result>,
  ): Promise<Result | string> {
    const done = await this.log.give(label, send);
    if (done) return done;
    const words = this.log.orders.peek()[0]?.text ?? "";
    // The gateway's own words: "Send force: true to do that."
    this.forceable.value = /\bforce\b/.test(words);
    return words;
  }
}

/** The sequence of the row that the gateway names in a refusal: `row 3, command 9999 (MAV_MISSION_UNSUPPORTED)`. */
export function refusedSequence(words: string): number | null {
  const [, sequence] = /\brow (-?\d+)\b/.exec(words) ?? [];
  return sequence === undefined ? null : Number(sequence);
}
