import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type FleetClient, reply } from "../../../client/client";
import type { Live } from "../../live/live";
import { errorText } from "../../parts/error-text";

/**
 * connecting: the drone is to be dialled, or is being dialled. answered: it has answered. refused: it has not, for this
 * reason; the gateway goes on dialling it.
 */
export type LinkAttempt =
  | { readonly state: "connecting" | "answered" }
  | { readonly state: "refused"; readonly reason: string };

/** Drones that one page keeps linked. The gateway refuses a socket that asks for a hundred at once, as after a restart. */
export const MOST_LINKS = 50;
/** Drones that are dialled at a time. One that does not answer takes five seconds. */
const DIALLED_AT_ONCE = 4;

/**
 * The links that this page keeps up. The gateway dials a drone when somebody uses or watches it, and hangs up a minute
 * after the last one. So the page watches the drones that it wants to see, by the stream of their messages, which says the
 * least; their states come by the fleet's feed.
 */
export class KeptLinks {
  /** By the drones' ids: what ends the watch. Undefined before it begins. */
  private readonly kept = new Map<number, (() => void) | undefined>();
  private readonly attempts = new Map<number, Signal<LinkAttempt | undefined>>();
  private readonly waiting: number[] = [];
  private dialled = 0;

  constructor(
    private readonly live: Live,
    private readonly client: FleetClient,
  ) {}

  /** Undefined for a drone that the page does not keep linked. */
  attemptOf(id: number): ReadonlySignal<LinkAttempt | undefined> {
    return this.attempt(id);
  }

  /**
   * Dials the drone, and keeps its link. A drone that is kept already is dialled again, if it was refused. Nothing happens
   * beyond `MOST_LINKS`.
   */
  keep(id: number): void {
    const isNew = !this.kept.has(id);
    if (isNew ? this.kept.size >= MOST_LINKS : this.attempt(id).peek()?.state !== "refused") return;
    if (isNew) this.kept.set(id, undefined);
    this.enqueue(id);
  }

  /** The drone was deleted. */
  forget(id: number): void {
    this.kept.get(id)?.();
    this.kept.delete(id);
    this.attempt(id).value = undefined;
  }

  end(): void {
    for (const id of [...this.kept.keys()]) this.forget(id);
  }

  /** Nobody looks: the drones' mobile data is spared. The gateway hangs up after a minute. */
  pause(): void {
    this.waiting.length = 0;
    for (const [id, endWatch] of this.kept) {
      endWatch?.();
      this.kept.set(id, undefined);
    }
  }

  /** Dials the drones again that were kept. */
  resume(): void {
    for (const id of this.kept.keys()) this.enqueue(id);
  }

  private enqueue(id: number): void {
    this.attempt(id).value = { state: "connecting" };
    this.waiting.push(id);
    this.dialNext();
  }

  private dialNext(): void {
    if (this.dialled >= DIALLED_AT_ONCE) return;
    const id = this.waiting.shift();
    if (id === undefined) return;
    this.dialled += 1;
    void this.dial(id).finally(() => {
      this.dialled -= 1;
      this.dialNext();
    });
  }

  private async dial(id: number): Promise<void> {
    // Forgotten while it waited.
    if (!this.kept.has(id)) return;
    if (!this.kept.get(id)) this.kept.set(id, this.live.watch(id, "logs", ignore));
    const attempt = await reply(
      this.client.api.GET("/drone/action/connection", { params: { query: { id } } }),
    ).then(
      () => ({ state: "answered" }) as const,
      (error: unknown) => ({ state: "refused", reason: errorText(error) }) as const,
    );
    if (this.kept.has(id)) this.attempt(id).value = attempt;
  }

  private attempt(id: number): Signal<LinkAttempt | undefined> {
    const known = this.attempts.get(id);
    if (known) return known;
    const attempt = signal<LinkAttempt | undefined>(undefined);
    this.attempts.set(id, attempt);
    return attempt;
  }
}

/** What it says is of no interest here. */
const ignore = () => {};
