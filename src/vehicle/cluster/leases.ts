import { DomainError } from "../../domain/errors";
import type { LinkTarget } from "../byte-stream";
import { claimedByAnother, type SharedClaims } from "../endpoint-claims";
import type { Holder, LeaseStore } from "./lease-store";

/**
 * idle:     no order or subscription here needed the drone any more.
 * closed:   the drone was deleted or moved, or its owner closed the link.
 * draining: this process stops.
 * expired:  it could not be renewed in time: Redis was down, or this process was paused.
 * taken:    in Redis it was no longer ours.
 */
export type LossReason = "idle" | "closed" | "draining" | "expired" | "taken";

export interface LeasesObserver {
  acquired?(key: string): void;
  lost?(key: string, reason: LossReason): void;
}

interface LeasesOptions {
  readonly store: LeaseStore;
  /** This process, by an id that no other start of it has. */
  readonly replica: string;
  readonly ttlMs: number;
  /** Whether the drone's lease is still needed here. */
  readonly needed: (key: string) => boolean;
  /** It is no longer ours: close everything that is open under it now. */
  readonly onLost: (key: string, reason: LossReason) => void;
  readonly observers?: readonly LeasesObserver[];
}

interface Held {
  readonly holder: Holder;
  readonly since: number;
  /** By this process's own clock, and a little before Redis forgets it. */
  until: number;
  /** Of its vehicle, once a link is opened. They are renewed with the lease and lost with it. */
  endpoints: readonly string[];
}

/** Share of a lease's time that its holder uses; the rest is for clocks that run differently. */
const SAFE_SHARE = 0.9;

/**
 * The leases that this process holds.
 *
 * free → held → free. A held lease is renewed three times in its life, and counts only as long as our own
 * clock says that Redis still keeps it, so that two processes never both believe they hold one.
 */
export class Leases implements SharedClaims {
  private readonly held = new Map<string, Held>();
  private readonly claims = new Map<string, Promise<Holder>>();
  private readonly timers: NodeJS.Timeout[];
  private url: string | undefined;
  private renewing = false;
  private stopped = false;

  constructor(private readonly options: LeasesOptions) {
    const { ttlMs } = options;
    this.timers = [
      setInterval(() => void this.renewAll(), ttlMs / 3),
      setInterval(() => this.dropExpired(), ttlMs / 12),
    ];
  }

  get size(): number {
    return this.held.size;
  }

  /** Of the drones whose leases are held. */
  get keys(): readonly string[] {
    return [...this.held.keys()];
  }

  get replica(): string {
    return this.options.replica;
  }

  /** From now on leases may be claimed: others reach us there. */
  advertise(url: string): void {
    this.url = url;
  }

  /**
   * The holder of the drone's link, this process if it was free. Rejects with `unavailable` while Redis is down, unless
   * the lease is ours and runs.
   */
  async claim(key: string): Promise<Holder> {
    const mine = this.lease(key);
    if (mine) return mine;
    let claim = this.claims.get(key);
    if (!claim) {
      claim = this.acquire(key).finally(() => this.claims.delete(key));
      this.claims.set(key, claim);
    }
    return claim;
  }

  /** The lease if it is ours at this moment. */
  lease(key: string): Holder | undefined {
    const held = this.held.get(key);
    return held && performance.now() < held.until ? held.holder : undefined;
  }

  /** Whether what was opened under this fence may still send. */
  covers(key: string, fence: number | undefined): boolean {
    return fence !== undefined && this.lease(key)?.fence === fence;
  }

  /** The holder, without claiming; undefined when it is free. */
  read(key: string): Promise<Holder | undefined> {
    return this.options.store.read(key);
  }

  /** Under the drone's lease, and instead of its earlier endpoints. */
  async claimEndpoints({ key, fence }: LinkTarget, endpoints: readonly string[]): Promise<void> {
    const { store, ttlMs } = this.options;
    const held = this.held.get(key);
    if (!held || !this.covers(key, fence)) throw takenOver();
    this.releaseInStore(key, held, held.endpoints);
    held.endpoints = [];
    const ours = await store
      .claimEndpoints({ key, holder: held.holder, endpoints }, ttlMs)
      .catch((cause: unknown) => {
        throw redisUnavailable(cause);
      });
    if (ours) {
      // Should the link have been closed meanwhile, the lease is released soon, and they with it.
      held.endpoints = endpoints;
      return;
    }
    this.releaseInStore(key, held, endpoints);
    throw claimedByAnother();
  }

  releaseEndpoints(key: string): void {
    const held = this.held.get(key);
    if (!held) return;
    this.releaseInStore(key, held, held.endpoints);
    held.endpoints = [];
  }

  /** Another replica may claim it at once. Links that are open under it must be closed before. */
  async release(key: string, reason: LossReason): Promise<void> {
    const held = this.held.get(key);
    if (!held) return;
    this.releaseEndpoints(key);
    this.held.delete(key);
    this.tellLost(key, reason);
    // It lapses by itself when Redis does not get this.
    await this.options.store.release(key, held.holder).catch(() => {});
  }

  /** Claims no more leases, and releases all. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.allSettled(this.keys.map((key) => this.release(key, "draining")));
  }

  private async acquire(key: string): Promise<Holder> {
    const { store, replica, ttlMs, observers = [] } = this.options;
    if (this.stopped || this.url === undefined) {
      throw new DomainError("unavailable", "This server does not take drones just now.");
    }
    const askedAt = performance.now();
    const holder = await store.claim(key, replica, this.url, ttlMs).catch((cause: unknown) => {
      throw redisUnavailable(cause);
    });
    if (holder.replica !== replica) return holder;
    if (this.stopped) {
      await store.release(key, holder).catch(() => {});
      throw new DomainError("unavailable", "The server is shutting down.");
    }
    this.held.set(key, { holder, since: askedAt, until: askedAt + ttlMs * SAFE_SHARE, endpoints: [] });
    for (const observer of observers) observer.acquired?.(key);
    return holder;
  }

  private async renewAll(): Promise<void> {
    if (this.renewing || this.stopped) return;
    this.dropExpired();
    this.releaseUnneeded();
    const { store, ttlMs } = this.options;
    const renewed = [...this.held];
    if (renewed.length === 0) return;
    this.renewing = true;
    const askedAt = performance.now();
    try {
      const replies = await store.renew(
        renewed.map(([key, { holder, endpoints }]) => ({ key, holder, endpoints })),
        ttlMs,
      );
      for (const [at, [key, held]] of renewed.entries()) {
        if (this.held.get(key) !== held) continue;
        if (replies[at] === true) held.until = askedAt + ttlMs * SAFE_SHARE;
        if (replies[at] === false) this.drop(key, "taken");
      }
    } catch {
      // Redis is down: they expire one by one unless it comes back in time.
    } finally {
      this.renewing = false;
    }
  }

  private releaseInStore(key: string, { holder }: Held, endpoints: readonly string[]): void {
    // They lapse by themselves when Redis does not get this.
    this.options.store.releaseEndpoints({ key, holder, endpoints }).catch(() => {});
  }

  private releaseUnneeded(): void {
    const settled = performance.now() - this.options.ttlMs / 3;
    for (const [key, { since }] of this.held) {
      if (since < settled && !this.options.needed(key)) void this.release(key, "idle");
    }
  }

  private dropExpired(): void {
    const now = performance.now();
    for (const [key, { until }] of this.held) if (now >= until) this.drop(key, "expired");
  }

  private drop(key: string, reason: LossReason): void {
    this.held.delete(key);
    this.tellLost(key, reason);
    this.options.onLost(key, reason);
  }

  private tellLost(key: string, reason: LossReason): void {
    for (const observer of this.options.observers ?? []) observer.lost?.(key, reason);
  }
}

const redisUnavailable = (cause: unknown) =>
  new DomainError(
    "unavailable",
    "Redis does not say which gateway holds the drone's link; try again shortly.",
    { cause },
  );

export const takenOver = () =>
  new DomainError("unavailable", "Another gateway has just taken over the drone's link; try again.");
