import { DomainError, isDomainError } from "../domain/errors";
import { backoffMs } from "../platform/retry";
import type { ByteStream, Dial, LinkTarget } from "./byte-stream";
import { EndpointClaims, type Resolve, type SharedClaims } from "./endpoint-claims";
import type { VehicleLink } from "./link";
import { FLOOD } from "./mavlink/wire/flood-limit";
import { CLOSED_BY_OWNER, type Subscriber, type VehicleLinks } from "./vehicle-links";

interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** A watching pilot sees a vehicle that starts again within ten seconds: half of them are the vehicle's own start. */
const DEFAULT_BACKOFF: Backoff = { firstMs: 500, maxMs: 5_000 };

/** For metrics; may not throw. */
export interface PoolObserver {
  opened?(key: string, millisecondsTaken: number): void;
  openFailed?(key: string, code: string): void;
  closed?(key: string, reason: string): void;
  /** A watched link is down; the next attempt comes after so many milliseconds. */
  reconnecting?(key: string, attempt: number, delayMs: number): void;
}

export interface PoolOptions {
  readonly dial: Dial;
  /** Opens a link over a connected stream and closes the stream when that fails. */
  readonly open: (stream: ByteStream, signal: AbortSignal, target: LinkTarget) => Promise<VehicleLink>;
  /** How long a caller waits for a link, dialling and first heartbeat included. */
  readonly waitMs?: number;
  /** How long an unused link stays open. */
  readonly idleMs?: number;
  readonly backoff?: Backoff;
  /** From 0 up to 1. */
  readonly random?: () => number;
  readonly observer?: PoolObserver;
  /** The other replicas' claims, where there are several. */
  readonly sharedClaims?: SharedClaims;
  readonly resolve?: Resolve;
}

/**
 * idle → opening → open → idle; a link that is watched goes from open back to opening by itself, with a
 * growing pause between attempts.
 */
interface Entry {
  readonly target: LinkTarget;
  opening: Promise<VehicleLink> | undefined;
  link: VehicleLink | undefined;
  /** Calls of `withLink` under way. */
  users: number;
  readonly subscribers: Set<Subscriber>;
  stopTelemetry: () => void;
  idleTimer: NodeJS.Timeout | undefined;
  retryTimer: NodeJS.Timeout | undefined;
  attempts: number;
  /** Ends the attempt to open that is under way. */
  attempt: AbortController | undefined;
  ended: boolean;
}

/**
 * One link per drone, opened once for any number of callers and kept while it has users or watchers; and one drone per
 * address, since two drones that reach one vehicle would each command the other's.
 */
export class LinkPool implements VehicleLinks {
  private readonly entries = new Map<string, Entry>();
  private draining = false;
  private readonly waitMs: number;
  private readonly idleMs: number;
  private readonly backoff: Backoff;
  private readonly random: () => number;
  private readonly observer: PoolObserver;
  private readonly claims: EndpointClaims;
  private readonly held = new Map<string, { readonly target: LinkTarget; readonly stop: () => void }>();
  /** Drones whose owners closed the link, of those to be held. */
  private readonly closedByOwner = new Set<string>();

  constructor(private readonly options: PoolOptions) {
    this.waitMs = options.waitMs ?? 5000;
    this.idleMs = options.idleMs ?? 60_000;
    this.backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.random = options.random ?? Math.random;
    this.observer = options.observer ?? {};
    this.claims = new EndpointClaims(options.sharedClaims, options.resolve);
  }

  get size(): number {
    return [...this.entries.values()].filter(({ link }) => link !== undefined).length;
  }

  /** Whether the drone has users or watchers, or its link is open. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** Whether a call of `withLink` to the drone is under way. */
  isBusy(key: string): boolean {
    return (this.entries.get(key)?.users ?? 0) > 0;
  }

  async withLink<T>(target: LinkTarget, use: (link: VehicleLink) => Promise<T>): Promise<T> {
    const entry = this.entryFor(target);
    entry.users += 1;
    this.wake(entry);
    try {
      return await use(await this.linkOf(entry));
    } finally {
      entry.users -= 1;
      this.closeWhenIdle(entry);
    }
  }

  subscribe(target: LinkTarget, subscriber: Subscriber): () => void {
    const entry = this.entryFor(target);
    // One of its own for each call: the same subscriber may come twice.
    const mine: Subscriber = {
      onMessage: (message) => subscriber.onMessage(message),
      onState: (state, reason) => subscriber.onState?.(state, reason),
      holds: subscriber.holds,
    };
    entry.subscribers.add(mine);
    if (!mine.holds) this.wake(entry);
    if (entry.link) {
      if (entry.subscribers.size === 1) this.startTelemetry(entry, entry.link);
      mine.onState?.("up");
    } else if (entry.retryTimer) {
      mine.onState?.("down");
    } else {
      // Also while an order opens it: when that fails, the subscription goes on trying.
      this.reopen(entry);
    }
    return () => {
      if (!entry.subscribers.delete(mine)) return;
      if (entry.subscribers.size === 0) {
        entry.stopTelemetry();
        clearTimeout(entry.retryTimer);
        entry.retryTimer = undefined;
      }
      this.closeWhenIdle(entry);
    };
  }

  async hold(targets: readonly LinkTarget[]): Promise<void> {
    if (this.draining) return;
    const wanted = new Map(targets.map((target) => [target.key, target]));
    for (const [key, { target, stop }] of this.held) {
      const next = wanted.get(key);
      if (next && sameAddress(next, target)) continue;
      this.held.delete(key);
      stop();
    }
    for (const key of this.closedByOwner) if (!wanted.has(key)) this.closedByOwner.delete(key);
    for (const [key, target] of wanted) {
      if (this.held.has(key) || this.closedByOwner.has(key)) continue;
      const onState: Subscriber["onState"] = (state) => void (state === "ended" && this.held.delete(key));
      this.held.set(key, { target, stop: this.subscribe(target, { onMessage() {}, onState, holds: true }) });
    }
  }

  /** Whether the owner closed the link; see `hold`. */
  isClosedByOwner(key: string): boolean {
    return this.closedByOwner.has(key);
  }

  close(key: string, reason = "closed by request"): boolean {
    if (reason === CLOSED_BY_OWNER) this.closedByOwner.add(key);
    const entry = this.entries.get(key);
    if (!entry) return false;
    this.forget(key);
    clearTimeout(entry.idleTimer);
    clearTimeout(entry.retryTimer);
    entry.ended = true;
    entry.attempt?.abort();
    entry.stopTelemetry();
    const subscribers = [...entry.subscribers];
    entry.subscribers.clear();
    entry.link?.close(reason);
    for (const subscriber of subscribers) subscriber.onState?.("ended");
    return true;
  }

  /** Without other replicas, this process is everywhere. */
  async closeEverywhere(key: string, reason?: string): Promise<boolean> {
    return this.close(key, reason);
  }

  /** Accepts no new order, lets orders under way finish for so long, then closes every link. */
  async drain(limitMs = 5000): Promise<void> {
    this.draining = true;
    const deadline = Date.now() + limitMs;
    const busy = () => [...this.entries.keys()].some((key) => this.isBusy(key));
    while (busy() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const key of [...this.entries.keys()]) this.close(key, "the server is shutting down");
  }

  private entryFor(target: LinkTarget): Entry {
    if (this.draining) throw new DomainError("unavailable", "The server is shutting down.");
    const existing = this.entries.get(target.key);
    if (existing && sameAddress(existing.target, target)) return existing;
    if (existing) this.close(target.key, "the drone's address changed");
    const entry: Entry = {
      target,
      opening: undefined,
      link: undefined,
      users: 0,
      subscribers: new Set(),
      stopTelemetry: () => {},
      idleTimer: undefined,
      retryTimer: undefined,
      attempts: 0,
      attempt: undefined,
      ended: false,
    };
    this.entries.set(target.key, entry);
    return entry;
  }

  private linkOf(entry: Entry): Promise<VehicleLink> {
    if (entry.link) return Promise.resolve(entry.link);
    entry.opening ??= this.open(entry).finally(() => {
      entry.opening = undefined;
    });
    return entry.opening;
  }

  private async open(entry: Entry): Promise<VehicleLink> {
    const { key } = entry.target;
    const startedAt = performance.now();
    const attempt = new AbortController();
    entry.attempt = attempt;
    const late = setTimeout(() => attempt.abort(), this.waitMs);
    try {
      await this.claims.claim(entry.target, attempt.signal);
      const stream = await this.options.dial(entry.target, attempt.signal);
      const link = await this.options.open(stream, attempt.signal, entry.target);
      if (entry.ended || link.state === "closed") {
        link.close("no longer wanted");
        const reason = await new Promise<string>((resolve) => link.onClose(resolve));
        throw new DomainError(
          "vehicle_unreachable",
          `The link was closed while it was being opened: ${reason}.`,
        );
      }
      entry.link = link;
      clearTimeout(entry.retryTimer);
      entry.retryTimer = undefined;
      link.onClose((reason) => this.lost(entry, link, reason));
      this.observer.opened?.(key, performance.now() - startedAt);
      if (entry.subscribers.size > 0) this.startTelemetry(entry, link);
      if (entry.users === 0 && isOnlyHeld(entry)) link.setHeartbeats(false);
      for (const subscriber of [...entry.subscribers]) subscriber.onState?.("up");
      return link;
    } catch (error) {
      const failure = isDomainError(error)
        ? error
        : new DomainError("vehicle_unreachable", "The vehicle cannot be reached.", { cause: error });
      this.observer.openFailed?.(key, failure.code);
      throw failure;
    } finally {
      clearTimeout(late);
      entry.attempt = undefined;
    }
  }

  private startTelemetry(entry: Entry, link: VehicleLink): void {
    entry.stopTelemetry();
    entry.stopTelemetry = link.onTelemetry((message) => {
      for (const subscriber of [...entry.subscribers]) subscriber.onMessage(message);
    });
  }

  private lost(entry: Entry, link: VehicleLink, reason: string): void {
    if (entry.link !== link) return;
    entry.link = undefined;
    entry.stopTelemetry = () => {};
    // A vehicle that floods each link that it gets is dialled less and less often.
    if (reason !== FLOOD) entry.attempts = 0;
    this.observer.closed?.(entry.target.key, reason);
    if (entry.ended) return;
    if (entry.subscribers.size === 0) {
      this.closeWhenIdle(entry);
      return;
    }
    this.notifyDown(entry, reason);
    this.retryLater(entry);
  }

  private notifyDown(entry: Entry, reason?: string): void {
    for (const subscriber of [...entry.subscribers]) subscriber.onState?.("down", reason);
  }

  private reopen(entry: Entry): void {
    this.linkOf(entry).catch(() => {
      // Notified once, not at every attempt.
      if (entry.attempts === 0) this.notifyDown(entry);
      this.retryLater(entry);
    });
  }

  private retryLater(entry: Entry): void {
    if (entry.ended || entry.subscribers.size === 0 || entry.retryTimer) return;
    entry.attempts += 1;
    const { firstMs, maxMs } = this.backoff;
    // Between half and the whole of it, so that a fleet does not come back in one wave.
    const delayMs = Math.round((backoffMs(entry.attempts, firstMs, maxMs) * (1 + this.random())) / 2);
    this.observer.reconnecting?.(entry.target.key, entry.attempts, delayMs);
    entry.retryTimer = setTimeout(() => {
      entry.retryTimer = undefined;
      if (!entry.link) this.reopen(entry);
    }, delayMs);
  }

  /** An unused entry keeps its link for a while, and is forgotten without one. One that is held becomes silent. */
  private closeWhenIdle(entry: Entry): void {
    const { key } = entry.target;
    if (entry.users > 0 || !isOnlyHeld(entry) || this.entries.get(key) !== entry) return;
    clearTimeout(entry.idleTimer);
    if (entry.subscribers.size > 0)
      entry.idleTimer = setTimeout(() => entry.link?.setHeartbeats(false), this.idleMs);
    else if (entry.link) entry.idleTimer = setTimeout(() => this.close(key, "idle"), this.idleMs);
    else if (entry.opening)
      entry.opening.then(
        () => this.closeWhenIdle(entry),
        () => this.closeWhenIdle(entry),
      );
    else this.forget(key);
  }

  /** Somebody uses or watches the vehicle. */
  private wake(entry: Entry): void {
    this.closedByOwner.delete(entry.target.key);
    clearTimeout(entry.idleTimer);
    entry.link?.setHeartbeats(true);
  }

  private forget(key: string): void {
    this.entries.delete(key);
    this.claims.release(key);
  }
}

const isOnlyHeld = ({ subscribers }: Entry): boolean => [...subscribers].every(({ holds }) => holds);

const sameAddress = (a: LinkTarget, b: LinkTarget): boolean =>
  a.host === b.host && a.port === b.port && a.via === b.via && a.fence === b.fence;
