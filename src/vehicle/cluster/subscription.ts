import { isDomainError } from "../../domain/errors";
import type { LinkTarget } from "../byte-stream";
import type { LinkPool } from "../pool";
import type { Subscriber, SubscriptionState } from "../vehicle-links";
import type { Holder } from "./lease-store";
import type { Leases } from "./leases";
import { NotHolder } from "./messages";

interface SubscriptionDeps {
  readonly pool: Pick<LinkPool, "subscribe">;
  readonly leases: Pick<Leases, "claim" | "replica">;
  /** Asks the holder to feed us; rejects when it does not reply or no longer holds the lease. */
  readonly requestFeed: (holder: Holder, request: unknown) => Promise<unknown>;
}

/** A holder feeds us for about three times as long as this after each request. */
const FEED_REQUEST_MS = 1_000;
const RETRY_MS = 250;

/**
 * One subscription to one drone's telemetry.
 *
 * seeking → local:  the lease is ours, so is the link, and its messages come.
 * seeking → remote: another replica holds the lease and is asked for a feed again and again.
 *
 * Both go back to seeking when the lease changes hands; a killed holder's lease is free when it lapses.
 */
export class Subscription {
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private unsubscribe: (() => void) | undefined;
  private source: "seeking" | "local" | "remote" = "seeking";

  constructor(
    private readonly target: LinkTarget,
    readonly subscriber: Subscriber,
    private readonly deps: SubscriptionDeps,
  ) {}

  get isRemote(): boolean {
    return this.source === "remote";
  }

  start(): void {
    void this.seek();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  private async seek(): Promise<void> {
    const { leases, requestFeed } = this.deps;
    try {
      const holder = await leases.claim(this.target.key);
      if (this.stopped) return;
      if (holder.replica === leases.replica) {
        this.subscribeHere(holder.fence);
        return;
      }
      const { remote } = this.subscriber;
      const reply = await requestFeed(holder, remote?.request);
      if (this.stopped) return;
      this.source = "remote";
      remote?.onReply(reply);
      this.seekAfter(FEED_REQUEST_MS);
    } catch (error) {
      this.source = "seeking";
      if (this.stopped) return;
      // A holder that gave its lease up is replaced at once: the subscriber need not know.
      if (!(error instanceof NotHolder)) this.notify("down");
      this.seekAfter(isDomainError(error) ? FEED_REQUEST_MS : RETRY_MS);
    }
  }

  private subscribeHere(fence: number): void {
    this.source = "local";
    this.unsubscribe = this.deps.pool.subscribe(
      { ...this.target, fence },
      {
        onMessage: (message) => this.subscriber.onMessage(message, fence),
        onState: (state, reason) => (state === "ended" ? this.lost() : this.notify(state, reason)),
      },
    );
  }

  /** The pool closed the drone's link, and not by request: the lease is gone. */
  private lost(): void {
    this.unsubscribe = undefined;
    if (this.stopped) return;
    this.source = "seeking";
    this.notify("down");
    this.seekAfter(RETRY_MS);
  }

  private seekAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.seek(), ms);
  }

  private notify(state: SubscriptionState, reason?: string): void {
    if (!this.stopped) this.subscriber.onState?.(state, reason);
  }
}
