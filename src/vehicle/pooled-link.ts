import { DomainError, isDomainError } from "../domain/errors";
import { backoffMs } from "../platform/retry";
import type { LinkTarget } from "./byte-stream";
import type { VehicleLink } from "./link";
import { FLOOD } from "./mavlink/wire/flood-limit";
import type { Subscriber } from "./vehicle-links";

/**
 * A pause is made so often before it doubles: a hub that takes over for a lost one is there after three or four seconds,
 * and the vehicle gives up after five without a heartbeat.
 */
const EQUAL_PAUSES = 4;

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** For metrics; may not throw. */
export interface PoolObserver {
  opened?(key: string, millisecondsTaken: number): void;
  openFailed?(key: string, code: string): void;
  closed?(key: string, reason: string): void;
  /** A watched link is down; the next attempt comes after so many milliseconds. */
  reconnecting?(key: string, attempt: number, delayMs: number): void;
}

export interface LinkSettings {
  /** How long a caller waits for a link, dialling and first heartbeat included. */
  readonly waitMs: number;
  /** How long an unused link stays open. */
  readonly idleMs: number;
  readonly backoff: Backoff;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly observer: PoolObserver;
}

interface PooledLinkOptions extends LinkSettings {
  /** Claims the vehicle's endpoint, dials, and opens a link. */
  readonly open: (signal: AbortSignal) => Promise<VehicleLink>;
  /** Nobody uses or watches it any more: to be closed. */
  readonly onUnused: () => void;
}

/**
 * One drone's link: idle → opening → open → idle. A link that is watched goes from open back to opening by itself, with a
 * growing pause between attempts.
 */
export class PooledLink {
  private opening: Promise<VehicleLink> | undefined;
  private link: VehicleLink | undefined;
  private users = 0;
  private readonly subscribers = new Set<Subscriber>();
  /** Defined while it is watched. */
  private stopTelemetry: (() => void) | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private attempts = 0;
  /** Ends the attempt to open that is under way. */
  private attempt: AbortController | undefined;
  private ended = false;

  constructor(
    readonly target: LinkTarget,
    private readonly options: PooledLinkOptions,
  ) {}

  get isOpen(): boolean {
    return this.link !== undefined;
  }

  /** Whether a call of `use` is under way. */
  get isBusy(): boolean {
    return this.users > 0;
  }

  async use<T>(call: (link: VehicleLink) => Promise<T>): Promise<T> {
    this.users += 1;
    this.wake();
    try {
      return await call(await this.opened());
    } finally {
      this.users -= 1;
      this.closeWhenIdle();
    }
  }

  subscribe(subscriber: Subscriber): () => void {
    // One of its own for each call: the same subscriber may come twice.
    const mine: Subscriber = {
      onMessage: (message) => subscriber.onMessage(message),
      onState: (state, reason) => subscriber.onState?.(state, reason),
      holds: subscriber.holds,
    };
    this.subscribers.add(mine);
    if (!mine.holds) this.wake();
    if (this.link) {
      this.follow(this.link);
      mine.onState?.("up");
    } else if (this.retryTimer) {
      mine.onState?.("down");
    } else {
      // Also while an order opens it: when that fails, the subscription goes on trying.
      this.reopen();
    }
    return () => {
      if (!this.subscribers.delete(mine)) return;
      if (this.link) this.follow(this.link);
      if (this.subscribers.size === 0) {
        clearTimeout(this.retryTimer);
        this.retryTimer = undefined;
      }
      this.closeWhenIdle();
    };
  }

  /** For good. */
  close(reason: string): void {
    clearTimeout(this.idleTimer);
    clearTimeout(this.retryTimer);
    this.ended = true;
    this.attempt?.abort();
    this.stopTelemetry?.();
    const subscribers = [...this.subscribers];
    this.subscribers.clear();
    this.link?.close(reason);
    for (const subscriber of subscribers) subscriber.onState?.("ended");
  }

  private opened(): Promise<VehicleLink> {
    if (this.link) return Promise.resolve(this.link);
    this.opening ??= this.open().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async open(): Promise<VehicleLink> {
    const { observer, waitMs } = this.options;
    const startedAt = performance.now();
    const attempt = new AbortController();
    this.attempt = attempt;
    const late = setTimeout(() => attempt.abort(), waitMs);
    try {
      const link = await this.options.open(attempt.signal);
      if (this.ended || link.state === "closed") {
        link.close("no longer wanted");
        const reason = await new Promise<string>((resolve) => link.onClose(resolve));
        throw new DomainError(
          "vehicle_unreachable",
          `The link was closed while it was being opened: ${reason}.`,
        );
      }
      this.link = link;
      clearTimeout(this.retryTimer);
      this.retryTimer = undefined;
      link.onClose((reason) => this.lost(link, reason));
      observer.opened?.(this.target.key, performance.now() - startedAt);
      if (this.subscribers.size > 0) this.follow(link);
      if (this.users === 0 && this.isOnlyHeld) link.setHeartbeats(false);
      for (const subscriber of [...this.subscribers]) subscriber.onState?.("up");
      return link;
    } catch (error) {
      const failure = isDomainError(error)
        ? error
        : new DomainError("vehicle_unreachable", "The vehicle cannot be reached.", { cause: error });
      observer.openFailed?.(this.target.key, failure.code);
      throw failure;
    } finally {
      clearTimeout(late);
      this.attempt = undefined;
    }
  }

  /** The vehicle sends its streams while it has subscribers; they are decoded while one does more than hold the link. */
  private follow(link: VehicleLink): void {
    link.setStreams(this.subscribers.size > 0);
    if (this.isOnlyHeld) {
      this.stopTelemetry?.();
      this.stopTelemetry = undefined;
    } else
      this.stopTelemetry ??= link.onTelemetry((message) => {
        for (const subscriber of this.subscribers) subscriber.onMessage(message);
      });
  }

  private lost(link: VehicleLink, reason: string): void {
    if (this.link !== link) return;
    this.link = undefined;
    this.stopTelemetry = undefined;
    // A vehicle that floods each link that it gets is dialled less and less often.
    if (reason !== FLOOD) this.attempts = 0;
    this.options.observer.closed?.(this.target.key, reason);
    if (this.ended) return;
    if (this.subscribers.size === 0) {
      this.closeWhenIdle();
      return;
    }
    this.notifyDown(reason);
    this.retryLater();
  }

  private notifyDown(reason?: string): void {
    for (const subscriber of [...this.subscribers]) subscriber.onState?.("down", reason);
  }

  private reopen(): void {
    this.opened().catch(() => {
      // Notified once, not at every attempt.
      if (this.attempts === 0) this.notifyDown();
      this.retryLater();
    });
  }

  private retryLater(): void {
    if (this.ended || this.subscribers.size === 0 || this.retryTimer) return;
    this.attempts += 1;
    const { backoff, random, observer } = this.options;
    // Between half and the whole of it, so that a fleet does not come back in one wave.
    const pauseMs = backoffMs(Math.ceil(this.attempts / EQUAL_PAUSES), backoff.firstMs, backoff.maxMs);
    const delayMs = Math.round((pauseMs * (1 + random())) / 2);
    observer.reconnecting?.(this.target.key, this.attempts, delayMs);
    this.retryTimer = setTimeout(() => {
      this.retryTimer = undefined;
      if (!this.link) this.reopen();
    }, delayMs);
  }

  /** An unused link stays open for a while. One that is only held becomes silent. */
  private closeWhenIdle(): void {
    if (this.ended || this.users > 0 || !this.isOnlyHeld) return;
    const { idleMs, onUnused } = this.options;
    clearTimeout(this.idleTimer);
    if (this.subscribers.size > 0) this.idleTimer = setTimeout(() => this.link?.setHeartbeats(false), idleMs);
    else if (this.link) this.idleTimer = setTimeout(onUnused, idleMs);
    else if (this.opening)
      this.opening.then(
        () => this.closeWhenIdle(),
        () => this.closeWhenIdle(),
      );
    else onUnused();
  }

  /** Somebody uses or watches the vehicle. */
  private wake(): void {
    clearTimeout(this.idleTimer);
    this.link?.setHeartbeats(true);
  }

  private get isOnlyHeld(): boolean {
    return [...this.subscribers].every(({ holds }) => holds);
  }
}
