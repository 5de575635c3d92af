import { DomainError } from "../domain/errors";
import { eventually } from "../platform/eventually";
import type { ByteStream, Dial, LinkTarget } from "./byte-stream";
import { EndpointClaims, type Resolve, type SharedClaims } from "./endpoint-claims";
import type { VehicleLink } from "./link";
import { type Backoff, type LinkSettings, PooledLink } from "./pooled-link";
import { CLOSED_BY_OWNER, type Subscriber, type VehicleLinks } from "./vehicle-links";

/** A watching pilot sees a vehicle that starts again within ten seconds: half of them are the vehicle's own start. */
const DEFAULT_BACKOFF: Backoff = { firstMs: 500, maxMs: 5_000 };

export interface PoolOptions extends Partial<LinkSettings> {
  readonly dial: Dial;
  /** Opens a link over a connected stream and closes the stream when that fails. */
  readonly open: (stream: ByteStream, signal: AbortSignal, target: LinkTarget) => Promise<VehicleLink>;
  /** The other replicas' claims, where there are several. */
  readonly sharedClaims?: SharedClaims;
  readonly resolve?: Resolve;
}

/**
 * One link per drone, opened once for any number of callers and kept while it has users or watchers; and one drone per
 * address, since two drones that reach one vehicle would each command the other's.
 */
export class LinkPool implements VehicleLinks {
  private readonly links = new Map<string, PooledLink>();
  private draining = false;
  private readonly claims: EndpointClaims;
  private readonly held = new Map<string, { readonly target: LinkTarget; readonly stop: () => void }>();
  /** Drones whose owners closed the link, of those to be held. */
  private readonly closedByOwner = new Set<string>();

  constructor(private readonly options: PoolOptions) {
    this.claims = new EndpointClaims(options.sharedClaims, options.resolve);
  }

  get size(): number {
    return [...this.links.values()].filter(({ isOpen }) => isOpen).length;
  }

  /** Whether the drone has users or watchers, or its link is open. */
  has(key: string): boolean {
    return this.links.has(key);
  }

  /** Whether a call of `withLink` to the drone is under way. */
  isBusy(key: string): boolean {
    return this.links.get(key)?.isBusy ?? false;
  }

  async withLink<T>(target: LinkTarget, use: (link: VehicleLink) => Promise<T>): Promise<T> {
    return this.link(target).use(use);
  }

  /** A drone's link, for use: it may be held again when its owner had closed it. */
  link(target: LinkTarget): PooledLink {
    const link = this.linkTo(target);
    this.closedByOwner.delete(target.key);
    return link;
  }

  subscribe(target: LinkTarget, subscriber: Subscriber): () => void {
    const link = this.linkTo(target);
    if (!subscriber.holds) this.closedByOwner.delete(target.key);
    return link.subscribe(subscriber);
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
    const link = this.links.get(key);
    if (!link) return false;
    this.links.delete(key);
    this.claims.release(key);
    link.close(reason);
    return true;
  }

  /** Without other replicas, this process is everywhere. */
  async closeEverywhere(key: string, reason?: string): Promise<boolean> {
    return this.close(key, reason);
  }

  /** Accepts no new order, lets orders under way finish for so long, then closes every link. */
  async drain(limitMs = 5000): Promise<void> {
    this.draining = true;
    const isIdle = () => ![...this.links.values()].some(({ isBusy }) => isBusy);
    await eventually("The end of the orders under way", isIdle, { limitMs, everyMs: 20 }).catch(() => {});
    for (const key of [...this.links.keys()]) this.close(key, "the server is shutting down");
  }

  private linkTo(target: LinkTarget): PooledLink {
    if (this.draining) throw new DomainError("unavailable", "The server is shutting down.");
    const existing = this.links.get(target.key);
    if (existing && sameAddress(existing.target, target)) return existing;
    if (existing) this.close(target.key, "the drone's address changed");
    const { waitMs = 5_000, idleMs = 60_000, backoff = DEFAULT_BACKOFF } = this.options;
    const { random = Math.random, observer = {} } = this.options;
    const link = new PooledLink(target, {
      ...{ waitMs, idleMs, backoff, random, observer },
      open: (signal) => this.open(target, signal),
      onUnused: () => this.close(target.key, "idle"),
    });
    this.links.set(target.key, link);
    return link;
  }

  private async open(target: LinkTarget, signal: AbortSignal): Promise<VehicleLink> {
    await this.claims.claim(target, signal);
    return this.options.open(await this.options.dial(target, signal), signal, target);
  }
}

const sameAddress = (a: LinkTarget, b: LinkTarget): boolean =>
  a.host === b.host && a.port === b.port && a.via === b.via && a.fence === b.fence;
