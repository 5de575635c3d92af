import { setTimeout as delay } from "node:timers/promises";
import { DomainError, isDomainError } from "../../domain/errors";
import { retry } from "../../platform/retry";
import type { LinkTarget } from "../byte-stream";
import { vehicleCalls } from "../calls";
import type { VehicleCalls } from "../link";
import type { LinkPool } from "../pool";
import type { Subscriber, VehicleLinks } from "../vehicle-links";
import type { Holder } from "./lease-store";
import type { Leases } from "./leases";
import {
  addressOf,
  NotHolder,
  type PeerRequest,
  type RemoteCall,
  ReplyLost,
  RequestNotSent,
} from "./messages";
import type { PeerClient, PeerRequestOptions } from "./peer-client";
import { makeCall, remoteCalls } from "./remote-calls";
import { Subscription } from "./subscription";

/**
 * How a request to another replica ended.
 * answered: it was carried out. refused: the link or the vehicle refused. not_holder and not_sent: nothing was done, and
 * the next holder is asked. lost: unknown.
 */
export type PeerRequestOutcome = "answered" | "refused" | "not_holder" | "not_sent" | "lost";

export interface ClusterObserver {
  asked?(what: PeerRequest["ask"], outcome: PeerRequestOutcome, milliseconds: number): void;
}

/**
 * Serves another replica's request for a feed; the reply reaches its subscriber's `remote.onReply`. Undefined from a
 * replica that feeds nobody any more.
 */
export type ServeFeed = (target: LinkTarget, from: string, request: unknown) => unknown;

export interface ClusterLinksOptions {
  readonly pool: LinkPool;
  readonly leases: Leases;
  readonly peers: PeerClient;
  /** Makes every replica, this one included, close what it has open to the drone. */
  readonly broadcastClose: (key: string, reason: string) => Promise<unknown>;
  /** How long a caller waits for a link, wherever it is. */
  readonly waitMs: number;
  readonly observer?: ClusterObserver;
}

/** Between two tries with a holder that does not reply. */
const RETRY_MS = 150;
/** How often a lease is read while its holder carries out a request. */
const LEASE_POLL_MS = 500;
/** Longer than any transfer, with all its retries. */
const LONGEST_CALL_MS = 180_000;
const FEED_MS = 1_500;

/**
 * The drones' links as one, however many replicas there are: the holder of a drone's lease has its link, and the others
 * send their calls to the holder. The replica that was asked by the user decides whether the user may; the holder checks
 * the replicas' secret only.
 *
 * A call is never made twice unless it is repeatable. It is sent again only where surely nothing was done: the holder was
 * not reached, or replied that it no longer holds the lease. Else a lost reply is `outcome_unknown`.
 */
export class ClusterLinks implements VehicleLinks {
  private readonly subscriptions = new Map<string, Set<Subscription>>();
  private serveFeed: ServeFeed | undefined;
  private draining = false;

  constructor(private readonly options: ClusterLinksOptions) {}

  get size(): number {
    return this.options.pool.size;
  }

  /** Subscriptions to drones whose link another replica holds. */
  get remoteSubscriptions(): number {
    return [...this.subscriptions.values()].flatMap((some) => [...some]).filter(({ isRemote }) => isRemote)
      .length;
  }

  async withLink<T>(target: LinkTarget, use: (link: VehicleCalls) => Promise<T>): Promise<T> {
    const { pool, leases } = this.options;
    const identity = await this.atHolder(target.key, async (holder, signal) =>
      holder.replica === leases.replica
        ? undefined
        : this.send(holder, { ask: "open", target: addressOf(target) }, { signal, repeatable: true }),
    );
    if (identity !== undefined) return use(remoteCalls(identity, (call) => this.call(target, call)));
    const own = this.leased(target);
    if (!own) throw takenOver();
    return pool.withLink(own, use);
  }

  subscribe(target: LinkTarget, subscriber: Subscriber | Subscriber["onMessage"]): () => void {
    if (this.draining) throw shuttingDown();
    const { key } = target;
    const { pool, leases } = this.options;
    const requestFeed = (holder: Holder, asked: unknown) =>
      this.whileHeld(key, holder, (deposed) =>
        this.send(
          holder,
          { ask: "feed", target: addressOf(target), from: leases.replica, asked },
          { signal: AbortSignal.any([deposed, AbortSignal.timeout(FEED_MS)]), repeatable: true },
        ),
      );
    const subscription = new Subscription(
      target,
      typeof subscriber === "function" ? { onMessage: subscriber } : subscriber,
      { pool, leases, requestFeed },
    );
    const subscriptions = this.subscriptions.get(key) ?? new Set();
    this.subscriptions.set(key, subscriptions.add(subscription));
    subscription.start();
    return () => {
      subscription.stop();
      subscriptions.delete(subscription);
      if (subscriptions.size === 0 && this.subscriptions.get(key) === subscriptions)
        this.subscriptions.delete(key);
    };
  }

  close(key: string, reason = "closed by request"): boolean {
    const subscriptions = [...(this.subscriptions.get(key) ?? [])];
    this.subscriptions.delete(key);
    for (const subscription of subscriptions) subscription.stop();
    const closed = this.options.pool.close(key, reason);
    void this.options.leases.release(key, "closed");
    for (const { subscriber } of subscriptions) subscriber.onState?.("ended");
    return closed || subscriptions.length > 0;
  }

  async closeEverywhere(key: string, reason = "closed by request"): Promise<boolean> {
    const { leases, broadcastClose } = this.options;
    const holder = leases.lease(key) ?? (await leases.read(key).catch(redisUnavailable));
    const here = this.close(key, reason);
    const broadcast = broadcastClose(key, reason);
    // Subscribers at other replicas ask us for feeds: without Redis they notice by that.
    if (holder?.replica === leases.replica) return broadcast.then(() => here).catch(() => here);
    await broadcast.catch(redisUnavailable);
    if (!holder) return here;
    try {
      const there = await this.send(
        holder,
        { ask: "close", key, reason },
        { signal: AbortSignal.timeout(FEED_MS), repeatable: true },
      );
      return here || there === true;
    } catch (error) {
      if (error instanceof NotHolder) return here;
      throw unavailable("The server that speaks to the drone does not answer just now.", error);
    }
  }

  /** Sets who feeds the subscribers of other replicas; called only while this process holds the drone's link. */
  serveFeeds(serve: ServeFeed): void {
    this.serveFeed = serve;
  }

  /** Carries out another replica's request. Rejects with `NotHolder` while the lease is not ours. */
  async handle(request: PeerRequest): Promise<unknown> {
    if (request.ask === "close") return this.close(request.key, request.reason);
    const own = this.draining ? undefined : this.leased(request.target);
    if (!own) throw new NotHolder();
    const { pool } = this.options;
    if (request.ask === "open") return pool.withLink(own, async ({ vehicle }) => vehicle);
    if (request.ask === "call") return pool.withLink(own, (link) => makeCall(link, request.call));
    const reply = this.serveFeed?.(request.target, request.from, request.asked);
    if (reply === undefined) throw new NotHolder();
    return reply;
  }

  /** The lease is no longer ours: its link must not be used from now on. Subscriptions find the next holder. */
  onLeaseLost(key: string): void {
    this.options.pool.close(key, "another server speaks to the drone from now on");
  }

  /**
   * To be called when nothing is watched here any more: gives up each drone as soon as no order to it is under way, so
   * that another replica can have it while this one still finishes something else. Resolves when none is held.
   */
  async handOver(): Promise<void> {
    const { pool, leases } = this.options;
    while (leases.size > 0) {
      const free = leases.keys.filter((key) => !pool.isBusy(key));
      for (const key of free) pool.close(key, "the server is shutting down");
      await Promise.all(free.map((key) => leases.release(key, "draining")));
      if (leases.size > 0) await delay(RETRY_MS);
    }
  }

  async drain(limitMs?: number): Promise<void> {
    this.draining = true;
    for (const subscriptions of this.subscriptions.values())
      for (const subscription of subscriptions) subscription.stop();
    this.subscriptions.clear();
    await this.options.pool.drain(limitMs);
    await this.options.leases.stop();
    this.options.peers.close();
  }

  /** The target with the fencing number of our lease; undefined when the lease is not ours. */
  private leased(target: LinkTarget): LinkTarget | undefined {
    const lease = this.options.leases.lease(target.key);
    return lease && { ...addressOf(target), fence: lease.fence };
  }

  private async call(target: LinkTarget, call: RemoteCall): Promise<unknown> {
    const request: PeerRequest = { ask: "call", target: addressOf(target), call };
    const { repeatable = false } = vehicleCalls[call.method] as { readonly repeatable?: boolean };
    return this.atHolder(target.key, async (holder, signal) => {
      if (holder.replica === this.options.leases.replica) return this.handle(request);
      try {
        return await this.send(holder, request, { signal, repeatable });
      } catch (error) {
        if (repeatable || !(error instanceof ReplyLost)) throw error;
        throw new DomainError(
          "outcome_unknown",
          "The server that speaks to the drone was lost before it answered: the drone may have done this or not. Look at the drone before you try again.",
          { cause: error },
        );
      }
    });
  }

  /**
   * Tries with the lease's holder, and with the next holder while surely nothing was done or the request may be
   * repeated, for as long as a caller waits.
   */
  private async atHolder<T>(
    key: string,
    attempt: (holder: Holder, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const once = async () => {
      if (this.draining) throw shuttingDown();
      const holder = await this.options.leases.claim(key);
      return this.whileHeld(key, holder, (signal) => attempt(holder, signal));
    };
    try {
      return await retry(once, {
        firstMs: RETRY_MS,
        limitMs: this.options.waitMs,
        isTransient: isRetryable,
      });
    } catch (error) {
      throw isRetryable(error)
        ? unavailable("The server that speaks to the drone does not answer.", error)
        : error;
    }
  }

  /** Aborts the wait for a holder that has lost its lease, as a killed or paused one does. */
  private async whileHeld<T>(
    key: string,
    holder: Holder,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(LONGEST_CALL_MS);
    if (holder.replica === this.options.leases.replica) return run(timeout);
    const deposed = new AbortController();
    const poll = setInterval(() => {
      this.options.leases.read(key).then(
        (now) => {
          if (now?.fence !== holder.fence) deposed.abort();
        },
        () => {
          // Redis is down too: the wait goes on until the holder replies or the longest wait is over.
        },
      );
    }, LEASE_POLL_MS);
    try {
      return await run(AbortSignal.any([deposed.signal, timeout]));
    } finally {
      clearInterval(poll);
    }
  }

  private async send(holder: Holder, request: PeerRequest, options: PeerRequestOptions): Promise<unknown> {
    const sentAt = performance.now();
    const observe = (outcome: PeerRequestOutcome) =>
      this.options.observer?.asked?.(request.ask, outcome, performance.now() - sentAt);
    try {
      const reply = await this.options.peers.send(holder.url, request, options);
      observe("answered");
      return reply;
    } catch (error) {
      observe(outcomeOf(error));
      throw error;
    }
  }
}

/** Nothing was done, or the request may be repeated: opening twice is one link. */
const isRetryable = (error: unknown): boolean =>
  error instanceof NotHolder || error instanceof RequestNotSent || error instanceof ReplyLost;

function outcomeOf(error: unknown): PeerRequestOutcome {
  if (error instanceof NotHolder) return "not_holder";
  if (error instanceof RequestNotSent) return "not_sent";
  return isDomainError(error) ? "refused" : "lost";
}

const unavailable = (message: string, cause?: unknown) => new DomainError("unavailable", message, { cause });

const shuttingDown = () => unavailable("The server is shutting down.");

const takenOver = () => unavailable("The drone was just taken over by another server; try again.");

const redisUnavailable = (cause: unknown): never => {
  throw unavailable("Redis does not answer, through which the servers agree on drones.", cause);
};
