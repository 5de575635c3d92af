import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../../client/api-error";
import { errorText } from "../parts/error-text";
import { strings } from "../strings";

/**
 * pending → done (the vehicle acknowledged it), refused (it was not carried out), or unknown: the answer was lost, and
 * the vehicle may have obeyed or not.
 */
export type OrderOutcome = "pending" | "done" | "refused" | "unknown";

export interface LoggedOrder {
  readonly id: number;
  readonly label: string;
  readonly outcome: OrderOutcome;
  /** The reply in the gateway's or the vehicle's own words. Empty while pending. */
  readonly text: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Orders that are shown. */
const KEPT = 20;

/** The orders to one vehicle since the page was opened, the newest first. */
export class OrderLog {
  private readonly logged = signal<readonly LoggedOrder[]>([]);
  private nextId = 1;

  get orders(): ReadonlySignal<readonly LoggedOrder[]> {
    return this.logged;
  }

  /** Shows the order as pending, then what `send` answers. Returns that, or undefined when it was not carried out. */
  async give<Result extends { message: string }>(
    label: string,
    send: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const id = this.nextId++;
    const pending = { id, label, outcome: "pending", text: "", at: performance.now() } as const;
    this.logged.value = [pending, ...this.logged.peek()].slice(0, KEPT);
    try {
      const result = await send();
      this.end(id, "done", result.message);
      return result;
    } catch (error) {
      this.end(id, isUnknown(error) ? "unknown" : "refused", words(error));
      return undefined;
    }
  }

  private end(id: number, outcome: OrderOutcome, text: string): void {
    this.logged.value = this.logged
      .peek()
      .map((order) => (order.id === id ? { ...order, outcome, text, at: performance.now() } : order));
  }
}

/** A reply that never came, or is not the gateway's, leaves it open, too, whether the vehicle obeyed. */
const isUnknown = (error: unknown): boolean => !(error instanceof ApiError) || error.outcomeUnknown;

const words = (error: unknown): string =>
  error instanceof ApiError ? errorText(error) : strings.orders.noReply;
