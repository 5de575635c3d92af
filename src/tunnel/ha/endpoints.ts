import { z } from "zod";
import type { LivePeer } from "../../domain/peers";
import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import { withTimeout } from "../../platform/with-timeout";
import { type ConfigStore, ENDPOINTS_KEY } from "../client-configs/store";

const endpoint = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$/;
const Stored = z.record(z.string().refine(isPublicKey), z.string().regex(endpoint));

const SAVE_DELAY_MS = 1_000;
/** With more endpoints a save takes longer, and in a large fleet one changes all the time. */
const saveEveryMs = (peers: number): number => Math.min(10_000, 2_000 + peers);
const LOAD_LIMIT_MS = 3_000;

/** Where and when a packet of a peer last arrived. */
export interface PeerEndpoint {
  /** `ip:port` */
  readonly endpoint: string;
  /** Seconds since the epoch of its last handshake; 0 when that is not known. */
  readonly handshake: number;
}

export const isEndpoint = (text: string): boolean => endpoint.test(text);

/**
 * The last endpoint of each peer. A new interface knows no endpoint, and an idle client notices the loss only at its next
 * handshake, up to two minutes later. With the endpoint the hub starts the handshake.
 * A stale address does no harm: a peer's next packet replaces it.
 */
export class Endpoints {
  private readonly known = new Map<PublicKey, PeerEndpoint>();
  private changed = new Set<PublicKey>();
  private timer: NodeJS.Timeout | undefined;
  private savedAt = Number.NEGATIVE_INFINITY;
  private stopped = false;

  constructor(
    private readonly store: Pick<ConfigStore, "get" | "put">,
    private readonly log: Logger,
    /** Whether this hub may write to the store. */
    private readonly mayWrite: () => boolean,
  ) {}

  of = (publicKey: PublicKey): string | undefined => this.known.get(publicKey)?.endpoint;

  /** These keys, sorted by their last handshakes. */
  latestFirst(publicKeys: readonly PublicKey[]): PublicKey[] {
    const at = (key: PublicKey) => this.known.get(key)?.handshake ?? 0;
    return [...publicKeys].sort((a, b) => at(b) - at(a));
  }

  record(peers: Iterable<LivePeer>): void {
    let hasMoved = false;
    for (const { publicKey, endpoint, latestHandshake } of peers) {
      if (endpoint === undefined) continue;
      const before = this.known.get(publicKey);
      const isElsewhere = before?.endpoint !== endpoint;
      if (!isElsewhere && before.handshake >= latestHandshake) continue;
      this.known.set(publicKey, { endpoint, handshake: latestHandshake });
      this.changed.add(publicKey);
      hasMoved ||= isElsewhere;
    }
    if (hasMoved) this.saveLater();
  }

  forget(publicKey: PublicKey): void {
    if (!this.known.delete(publicKey)) return;
    this.changed.add(publicKey);
    this.saveLater();
  }

  /** Take over what another hub shared: it is newer than what this hub saw. */
  merge(shared: Iterable<readonly [PublicKey, PeerEndpoint]>): void {
    for (const [publicKey, endpoint] of shared) this.known.set(publicKey, endpoint);
  }

  /** The endpoints that changed since the last call; undefined for a peer that was forgotten. */
  takeChanges(): Map<PublicKey, PeerEndpoint | undefined> {
    const changed = new Map([...this.changed].map((key) => [key, this.known.get(key)]));
    this.changed = new Set();
    return changed;
  }

  /** Report all of them again at the next `takeChanges`. */
  markAllChanged(): void {
    this.changed = new Set([...this.changed, ...this.known.keys()]);
  }

  get count(): number {
    return this.known.size;
  }

  /** Read what the previous hub saved. Never rejects: without it clients reconnect by themselves, later. */
  async load(): Promise<void> {
    try {
      const text = await withTimeout(
        this.store.get(ENDPOINTS_KEY),
        LOAD_LIMIT_MS,
        "The object store does not answer.",
      );
      if (text === undefined) return;
      for (const [key, value] of Object.entries(Stored.parse(JSON.parse(text)))) {
        this.known.set(key as PublicKey, { endpoint: value, handshake: 0 });
      }
    } catch (error) {
      this.log.warn({ err: error }, "Cannot read the peers' endpoints from the object store");
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (!this.timer) return;
    clearTimeout(this.timer);
    await this.save();
  }

  private saveLater(): void {
    if (this.stopped) return;
    const sinceMs = performance.now() - this.savedAt;
    this.timer ??= setTimeout(
      () => void this.save(),
      Math.max(SAVE_DELAY_MS, saveEveryMs(this.count) - sinceMs),
    );
  }

  private async save(): Promise<void> {
    this.timer = undefined;
    this.savedAt = performance.now();
    if (!this.mayWrite()) return;
    try {
      const entries = [...this.known].map(([key, { endpoint }]) => [key, endpoint]);
      await this.store.put(ENDPOINTS_KEY, JSON.stringify(Object.fromEntries(entries)));
    } catch (error) {
      this.log.warn({ err: error }, "Failed to save the peers' endpoints to the object store");
      this.saveLater();
    }
  }
}
