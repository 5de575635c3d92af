import { setTimeout as delay } from "node:timers/promises";
import { DomainError, isDomainError } from "../../domain/errors";
import type { LinkTarget } from "../byte-stream";
import type { VehicleIdentity, VehicleLink } from "../link";
import type { LinkPool } from "../pool";
import type { Subscriber, VehicleLinks } from "../vehicle-links";
import { type Call, makeCall, remoteLink } from "./calls";
import type { Holder } from "./lease-store";
import type { Leases } from "./leases";
import { AnswerLost, addressOf, type Message, NotHolder, NotSent } from "./messages";
import type { PeerClient, Question } from "./peer-client";
import { Watch } from "./subscription";

/**
 * How a question to another replica ended.
 * answered: the vehicle did it. refused: the link or the vehicle said no. not_holder and not_sent: nothing was
 * done, and it is asked elsewhere. lost: nobody knows.
 */
export type AskOutcome = "answered" | "refused" | "not_holder" | "not_sent" | "lost";

export interface FleetObserver {
  asked?(what: Message["ask"], outcome: AskOutcome, milliseconds: number): void;
}

/**
 * A watcher's replica asks to be fed; the answer reaches its subscriber's `elsewhere.answered`. Undefined from
 * one that feeds nobody any more.
 */
export type ServeFeed = (target: LinkTarget, from: string, asked: unknown) => unknown;

export interface FleetLinksOptions {
  readonly pool: LinkPool;
  readonly leases: Leases;
  readonly peers: PeerClient;
  /** Tells every replica, this one included, to close what it has open to the drone. */
  readonly tellAll: (key: string, reason: string) => Promise<unknown>;
  /** How long a caller waits for a link, wherever it is. */
  readonly waitMs: number;
  readonly observer?: FleetObserver;
}

/** Between two looks at the lease of a holder that does not answer. */
const RETRY_MS = 150;
/** How often a lease is looked at while its holder is asked. */
const LOOK_MS = 500;
/** Longer than any transfer, with all its retries. */
const LONGEST_CALL_MS = 180_000;
const FEED_MS = 1_500;

/**
 * The drones' links as one, however many replicas there are: the holder of a drone's lease has its link, and
 * the others ask the holder. What is asked was allowed by whoever asks; here only the secret of the replicas
 * is believed.
 *
 * A call is never made twice. It is asked again only where surely nothing was done: the holder was not reached,
 * or said that it holds the lease no more. Else a lost answer is `outcome_unknown`.
 */
export class FleetLinks implements VehicleLinks {
  private readonly watches = new Map<string, Set<Watch>>();
  private serveFeed: ServeFeed | undefined;
  private draining = false;

  constructor(private readonly options: FleetLinksOptions) {}

  get size(): number {
    return this.options.pool.size;
  }

  /** Watches of drones whose link another replica holds. */
  get feedsAsked(): number {
    return [...this.watches.values()].flatMap((some) => [...some]).filter((watch) => watch.isElsewhere)
      .length;
  }

  async withLink<T>(target: LinkTarget, use: (link: VehicleLink) => Promise<T>): Promise<T> {
    const opened = await this.settle(target.key, (holder, signal) =>
      holder.replica === this.options.leases.replica
        ? Promise.resolve("here" as const)
        : this.ask(holder, { ask: "open", target: addressOf(target) }, { signal, repeatable: true }),
    );
    if (opened === "here") return this.withOwnLink(target, use).catch(lostMeanwhile);
    return use(remoteLink(opened as VehicleIdentity, (call) => this.carry(target, call)));
  }

  subscribe(target: LinkTarget, subscriber: Subscriber | Subscriber["onMessage"]): () => void {
    if (this.draining) throw shuttingDown();
    const { pool, leases } = this.options;
    const watch = new Watch(
      target,
      typeof subscriber === "function" ? { onMessage: subscriber } : subscriber,
      {
        pool,
        leases,
        ask: (holder, asked) =>
          this.whileHeld(target.key, holder, (deposed) =>
            this.ask(
              holder,
              { ask: "feed", target: addressOf(target), from: leases.replica, asked },
              { signal: AbortSignal.any([deposed, AbortSignal.timeout(FEED_MS)]), repeatable: true },
            ),
          ),
      },
    );
    const watches = this.watches.get(target.key) ?? new Set();
    this.watches.set(target.key, watches.add(watch));
    watch.start();
    return () => {
      watch.stop();
      watches.delete(watch);
      if (watches.size === 0 && this.watches.get(target.key) === watches) this.watches.delete(target.key);
    };
  }

  close(key: string, reason = "closed by request"): boolean {
    const watches = [...(this.watches.get(key) ?? [])];
    this.watches.delete(key);
    for (const watch of watches) watch.stop();
    const closed = this.options.pool.close(key, reason);
    void this.options.leases.giveUp(key, "closed");
    for (const watch of watches) watch.tellEnded();
    return closed || watches.length > 0;
  }

  async closeEverywhere(key: string, reason = "closed by request"): Promise<boolean> {
    const { leases, tellAll } = this.options;
    const holder = leases.lease(key) ?? (await leases.read(key).catch(unavailable));
    const here = this.close(key, reason);
    const told = tellAll(key, reason);
    // Who watches elsewhere asks us and no other: without Redis they find out by that.
    if (holder?.replica === leases.replica) return told.then(() => here).catch(() => here);
    await told.catch(unavailable);
    if (!holder) return here;
    try {
      const there = await this.ask(
        holder,
        { ask: "close", key, reason },
        { signal: AbortSignal.timeout(FEED_MS), repeatable: true },
      );
      return here || there === true;
    } catch (error) {
      if (error instanceof NotHolder) return here;
      throw new DomainError("unavailable", "The server that speaks to the drone does not answer just now.", {
        cause: error,
      });
    }
  }

  /** Who feeds the watchers of other replicas; asked only while this process holds the drone's link. */
  serveFeeds(serve: ServeFeed): void {
    this.serveFeed = serve;
  }

  /** Answers another replica. Rejects with `NotHolder` while the lease is not ours. */
  async answer(message: Message): Promise<unknown> {
    if (message.ask === "close") return this.close(message.key, message.reason);
    const { target } = message;
    if (this.draining || !this.options.leases.lease(target.key)) throw new NotHolder();
    if (message.ask === "open") return this.withOwnLink(target, async (link) => link.vehicle);
    if (message.ask === "call") return this.withOwnLink(target, (link) => makeCall(link, message.call));
    const fed = this.serveFeed?.(target, message.from, message.asked);
    if (fed === undefined) throw new NotHolder();
    return fed;
  }

  /** The lease is no longer ours: its link must not be used from now on. Watches find the next holder. */
  lost(key: string): void {
    this.options.pool.close(key, "another server speaks to the drone from now on");
  }

  /**
   * Once nothing is watched here any more: gives up each drone as soon as no order to it is under way, so that others
   * have its watchers while this replica still finishes something else. Resolves when none is held.
   */
  async handOver(): Promise<void> {
    const { pool, leases } = this.options;
    while (leases.size > 0) {
      const free = leases.keys.filter((key) => !pool.isBusy(key));
      for (const key of free) pool.close(key, "the server is shutting down");
      await Promise.all(free.map((key) => leases.giveUp(key, "draining")));
      if (leases.size > 0) await delay(RETRY_MS);
    }
  }

  async drain(limitMs?: number): Promise<void> {
    this.draining = true;
    for (const watches of this.watches.values()) for (const watch of watches) watch.stop();
    this.watches.clear();
    await this.options.pool.drain(limitMs);
    await this.options.leases.stop();
    this.options.peers.close();
  }

  /** On the link that this process holds; the lease may have gone since it was looked at. */
  private async withOwnLink<T>(target: LinkTarget, use: (link: VehicleLink) => Promise<T>): Promise<T> {
    const lease = this.options.leases.lease(target.key);
    if (!lease) throw new NotHolder();
    return this.options.pool.withLink({ ...addressOf(target), fence: lease.fence }, use);
  }

  private async carry(target: LinkTarget, call: Call): Promise<unknown> {
    const message: Message = { ask: "call", target: addressOf(target), call };
    return this.settle(target.key, async (holder, signal) => {
      if (holder.replica === this.options.leases.replica) {
        return this.withOwnLink(target, (link) => makeCall(link, call));
      }
      try {
        return await this.ask(holder, message, { signal, repeatable: false });
      } catch (error) {
        if (!(error instanceof AnswerLost)) throw error;
        throw new DomainError(
          "outcome_unknown",
          "The server that speaks to the drone was lost before it answered: the drone may have done this or not. Look at the drone before you try again.",
          { cause: error },
        );
      }
    });
  }

  /**
   * Tries with whoever holds the lease, and again with the next holder while surely nothing was done, for as
   * long as a caller waits.
   */
  private async settle<T>(
    key: string,
    attempt: (holder: Holder, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + this.options.waitMs;
    for (;;) {
      if (this.draining) throw shuttingDown();
      const holder = await this.options.leases.claim(key);
      try {
        return await this.whileHeld(key, holder, (signal) => attempt(holder, signal));
      } catch (error) {
        if (!isUndone(error)) throw error;
        if (performance.now() > deadline) {
          throw new DomainError("unavailable", "The server that speaks to the drone does not answer.", {
            cause: error,
          });
        }
        await delay(RETRY_MS);
      }
    }
  }

  /** Ends a wait for a holder that has lost its lease, as one does that was killed or stands still. */
  private async whileHeld<T>(
    key: string,
    holder: Holder,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (holder.replica === this.options.leases.replica) return run(AbortSignal.timeout(LONGEST_CALL_MS));
    const deposed = new AbortController();
    const look = setInterval(() => {
      this.options.leases.read(key).then(
        (now) => {
          if (now?.fence !== holder.fence) deposed.abort();
        },
        () => {
          // Redis is away too: the wait goes on until the holder answers or the longest wait is over.
        },
      );
    }, LOOK_MS);
    try {
      return await run(AbortSignal.any([deposed.signal, AbortSignal.timeout(LONGEST_CALL_MS)]));
    } finally {
      clearInterval(look);
    }
  }

  private async ask(holder: Holder, message: Message, question: Question): Promise<unknown> {
    const askedAt = performance.now();
    const note = (outcome: AskOutcome) =>
      this.options.observer?.asked?.(message.ask, outcome, performance.now() - askedAt);
    try {
      const answer = await this.options.peers.ask(holder.url, message, question);
      note("answered");
      return answer;
    } catch (error) {
      note(outcomeOf(error));
      throw error;
    }
  }
}

/** Nothing was done: it may be tried again. What was lost of an opening may be, since opening twice is one link. */
const isUndone = (error: unknown): boolean =>
  error instanceof NotHolder || error instanceof NotSent || error instanceof AnswerLost;

function outcomeOf(error: unknown): AskOutcome {
  if (error instanceof NotHolder) return "not_holder";
  if (error instanceof NotSent) return "not_sent";
  return isDomainError(error) ? "refused" : "lost";
}

const shuttingDown = () => new DomainError("unavailable", "The server is shutting down.");

const lostMeanwhile = (error: unknown): never => {
  if (!(error instanceof NotHolder)) throw error;
  throw new DomainError("unavailable", "The drone was just taken over by another server; try again.", {
    cause: error,
  });
};

const unavailable = (cause: unknown): never => {
  throw new DomainError("unavailable", "Redis does not answer, through which the servers agree on drones.", {
    cause,
  });
};
