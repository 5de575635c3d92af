import { isDomainError } from "../../domain/errors";
import type { LinkTarget } from "../byte-stream";
import type { LinkPool } from "../pool";
import type { Subscriber, SubscriptionState } from "../vehicle-links";
import type { Holder } from "./lease-store";
import type { Leases } from "./leases";
import { NotHolder } from "./messages";

export interface WatchDoors {
  readonly pool: Pick<LinkPool, "subscribe">;
  readonly leases: Pick<Leases, "claim" | "replica">;
  /** Asks the holder to feed us; rejects when it does not answer or holds the lease no more. */
  readonly ask: (holder: Holder, asked: unknown) => Promise<unknown>;
}

/** A holder feeds us for about three times as long as this after it was asked. */
const ASK_AGAIN_MS = 1_000;
const LOOK_AGAIN_MS = 250;

/**
 * One watch of one drone, for as long as somebody here wants it.
 *
 * seeking → here:      the lease is ours, so is the link, and its messages come.
 * seeking → elsewhere: another replica holds it, which is asked again and again.
 *
 * Both go back to seeking when the lease changes hands; a killed holder's is free when it lapses.
 */
export class Watch {
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private leave: (() => void) | undefined;
  private place: "seeking" | "here" | "elsewhere" = "seeking";

  constructor(
    private readonly target: LinkTarget,
    private readonly subscriber: Subscriber,
    private readonly doors: WatchDoors,
  ) {}

  get isElsewhere(): boolean {
    return this.place === "elsewhere";
  }

  start(): void {
    void this.seek();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.leave?.();
    this.leave = undefined;
  }

  /** The drone was let go of by request. */
  tellEnded(): void {
    this.subscriber.onState?.("ended");
  }

  private async seek(): Promise<void> {
    try {
      const holder = await this.doors.leases.claim(this.target.key);
      if (this.stopped) return;
      if (holder.replica === this.doors.leases.replica) this.watchHere(holder.fence);
      else await this.watchElsewhere(holder);
    } catch (error) {
      this.place = "seeking";
      if (this.stopped) return;
      // A holder that gave its lease up is replaced at once, and nobody need be told.
      if (!(error instanceof NotHolder)) this.tell("down");
      this.again(isDomainError(error) ? ASK_AGAIN_MS : LOOK_AGAIN_MS);
    }
  }

  private watchHere(fence: number): void {
    this.place = "here";
    this.leave = this.doors.pool.subscribe(
      { ...this.target, fence },
      {
        onMessage: (message) => this.subscriber.onMessage(message, fence),
        onState: (state) => (state === "ended" ? this.lost() : this.tell(state)),
      },
    );
  }

  private async watchElsewhere(holder: Holder): Promise<void> {
    const { elsewhere } = this.subscriber;
    const answer = await this.doors.ask(holder, elsewhere?.asked);
    if (this.stopped) return;
    this.place = "elsewhere";
    elsewhere?.answered(answer);
    this.again(ASK_AGAIN_MS);
  }

  /** The pool let go of the drone, and nobody asked it to: the lease is gone. */
  private lost(): void {
    this.leave = undefined;
    if (this.stopped) return;
    this.place = "seeking";
    this.tell("down");
    this.again(LOOK_AGAIN_MS);
  }

  private again(afterMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.seek(), afterMs);
  }

  private tell(state: SubscriptionState): void {
    if (!this.stopped) this.subscriber.onState?.(state);
  }
}
