import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { retry } from "../../platform/retry";
import type { LinkTarget } from "../byte-stream";
import { implementCalls, vehicleCalls } from "../calls";
import type { VehicleCalls } from "../link";
import type { LinkPool } from "../pool";
import type { Subscriber, VehicleLinks } from "../vehicle-links";
import type { Holder } from "./lease-store";
import { type Leases, takenOver } from "./leases";
import { addressOf, NotHolder, type ReplicaRequest, ReplyLost, RequestNotSent } from "./messages";
import type { ReplicaClient } from "./replica-client";
import { Subscription } from "./subscription";

/**
 * Serves another replica's request for a feed; the reply reaches its subscriber's `remote.onReply`. Undefined from a
 * replica that feeds nobody any more.
 */
export type ServeFeed = (target: LinkTarget, from: string, request: unknown) => unknown;

interface ClusterLinksOptions {
  readonly pool: LinkPool;
  readonly leases: Leases;
  readonly replicas: ReplicaClient;
  /** Makes every replica, this one included, close what it has open to the drone. */
  readonly broadcastClose: (key: string, reason: string) => Promise<unknown>;
  /** How long a caller waits for a link, wherever it is. */
  readonly waitMs: number;
}

/** The holder's reply to `open`. */
const Identity = z.object({
  autopilot: z.enum(["ardupilot", "px4"]),
  kind: z.enum(["copter", "rover"]),
  systemId: z.int(),
  componentId: z.int(),
});

/** Between two tries with a holder that does not reply. */
const RETRY_MS = 150;
/** How often a lease is read while its holder carries out a request. */
const LEASE_POLL_MS = 250;
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
    if (this.draining) throw shuttingDown();
    const { pool, leases } = this.options;
    const { replica } = await leases.claim(target.key);
    if (replica === leases.replica) {
      const own = this.leased(target);
      if (!own) throw takenOver();
      return pool.link(own).use(use);
    }
    const address = addressOf(target);
    const vehicle = Identity.parse(await this.request({ ask: "open", target: address }, true));
    const calls = implementCalls((method, { result, repeatable = false }) => async (...args) => {
      const call = { method, args };
      const reply = result.safeParse(await this.request({ ask: "call", target: address, call }, repeatable));
      if (reply.success) return reply.data;
      throw new DomainError("outcome_unknown", `The reply to ${method} cannot be read. Look at the drone.`, {
        cause: reply.error,
      });
    });
    return use({ vehicle, ...calls });
  }

  subscribe(target: LinkTarget, subscriber: Subscriber): () => void {
    if (this.draining) throw shuttingDown();
    const { key } = target;
    const { pool, leases } = this.options;
    const requestFeed = (holder: Holder, asked: unknown) => {
      const request = { ask: "feed", target: addressOf(target), from: leases.replica, asked } as const;
      return this.send(key, holder, request, FEED_MS, true);
    };
    const subscription = new Subscription(target, subscriber, { pool, leases, requestFeed });
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

  /** A drone that another replica has is held there. */
  async hold(targets: readonly LinkTarget[]): Promise<void> {
    if (this.draining) return;
    const { pool, leases } = this.options;
    // Without Redis those that are ours stay so while their leases run.
    const open = targets.filter(({ key }) => !pool.isClosedByOwner(key));
    await Promise.allSettled(open.map(({ key }) => leases.claim(key)));
    if (this.draining) return;
    const own = open.flatMap((target) => this.leased(target) ?? []);
    // Those that are closed are named as well, or they would be forgotten.
    await pool.hold([...own, ...targets.filter(({ key }) => pool.isClosedByOwner(key))]);
  }

  /** Opens those that no replica has, as an order would. Resolves with the holders of all, when their leases are known. */
  async adopt(targets: readonly LinkTarget[]): Promise<Holder[]> {
    if (this.draining) throw shuttingDown();
    const { pool, leases } = this.options;
    const holders = await Promise.all(targets.map(({ key }) => leases.claim(key)));
    for (const own of targets.flatMap((target) => this.leased(target) ?? [])) {
      // Whoever uses it next is told why it does not open.
      void pool
        .link(own)
        .use(async () => {})
        .catch(() => {});
    }
    return holders;
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
      const there = await this.send(key, holder, { ask: "close", key, reason }, FEED_MS, true);
      return here || there === true;
    } catch (error) {
      if (error instanceof NotHolder) return here;
      throw unavailable("The gateway that holds the drone's link does not answer.", error);
    }
  }

  /** Sets who feeds the subscribers of other replicas; called only while this process holds the drone's link. */
  serveFeeds(serve: ServeFeed): void {
    this.serveFeed = serve;
  }

  /**
   * Carries out another replica's request. Rejects with `NotHolder` while the lease is not ours, with `invalid_input` for
   * arguments that do not fit, or as the link does.
   */
  readonly handle = async (request: ReplicaRequest): Promise<unknown> => {
    if (request.ask === "close") return this.close(request.key, request.reason);
    const own = this.draining ? undefined : this.leased(request.target);
    if (!own) throw new NotHolder();
    const { pool } = this.options;
    if (request.ask === "open") return pool.link(own).use(async ({ vehicle }) => vehicle);
    if (request.ask === "call") {
      const { method, args } = request.call;
      const parsed = vehicleCalls[method].args.safeParse(args);
      if (!parsed.success) throw new DomainError("invalid_input", `The arguments of ${method} do not fit.`);
      return pool
        .link(own)
        .use((link) => (link[method] as (...args: readonly unknown[]) => Promise<unknown>)(...parsed.data));
    }
    const reply = this.serveFeed?.(request.target, request.from, request.asked);
    if (reply === undefined) throw new NotHolder();
    return reply;
  };

  /** The lease is no longer ours: its link must not be used from now on. Subscriptions find the next holder. */
  onLeaseLost(key: string): void {
    this.options.pool.close(key, "another gateway took over the drone's link");
  }

  /**
   * To be called when nothing is watched here any more: gives up each drone as soon as no order to it is under way, so
   * that another replica can have it while this one still finishes something else. Resolves when no drone is held.
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
    this.options.replicas.close();
  }

  /** The target with the fencing number of our lease; undefined when the lease is not ours. */
  private leased(target: LinkTarget): LinkTarget | undefined {
    const lease = this.options.leases.lease(target.key);
    return lease && { ...addressOf(target), fence: lease.fence };
  }

  /**
   * Has the holder of the drone's lease carry out a request, and the next holder while surely nothing was done or the
   * request may be repeated, for as long as a caller waits.
   */
  private async request(
    request: Extract<ReplicaRequest, { ask: "open" | "call" }>,
    repeatable: boolean,
  ): Promise<unknown> {
    const { leases, waitMs } = this.options;
    const { key } = request.target;
    const attempt = async () => {
      if (this.draining) throw shuttingDown();
      const holder = await leases.claim(key);
      if (holder.replica === leases.replica) return this.handle(request);
      return this.send(key, holder, request, LONGEST_CALL_MS, repeatable);
    };
    const isTransient = (error: unknown) =>
      error instanceof NotHolder ||
      error instanceof RequestNotSent ||
      (repeatable && error instanceof ReplyLost);
    try {
      return await retry(attempt, { firstMs: RETRY_MS, limitMs: waitMs, isTransient });
    } catch (error) {
      if (isTransient(error))
        throw unavailable("The gateway that holds the drone's link does not answer.", error);
      if (!(error instanceof ReplyLost)) throw error;
      throw new DomainError(
        "outcome_unknown",
        "The gateway that holds the drone's link was lost before it answered: the drone may have done this or not. Look at the drone before you try again.",
        { cause: error },
      );
    }
  }

  /** Sends a request to a holder. The wait ends when the holder loses its lease, as a killed or paused one does. */
  private async send(
    key: string,
    holder: Holder,
    request: ReplicaRequest,
    limitMs: number,
    repeatable: boolean,
  ): Promise<unknown> {
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
    const signal = AbortSignal.any([deposed.signal, AbortSignal.timeout(limitMs)]);
    try {
      return await this.options.replicas.send(holder.url, request, { signal, repeatable });
    } finally {
      clearInterval(poll);
    }
  }
}

const unavailable = (message: string, cause?: unknown) => new DomainError("unavailable", message, { cause });

const shuttingDown = () => unavailable("The server is shutting down.");

const redisUnavailable = (cause: unknown): never => {
  throw unavailable("Redis does not answer; the gateways need it to find the drone's link.", cause);
};
