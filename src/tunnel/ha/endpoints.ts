import { z } from "zod";
import type { LivePeer } from "../../domain/peers";
import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import { type ConfigStore, ENDPOINTS_KEY } from "../client-configs/store";

const endpoint = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$/;
const Stored = z.record(z.string().refine(isPublicKey), z.string().regex(endpoint));

const SAVE_DELAY_MS = 1_000;
/** The more there are, the longer a save is; in a large fleet somebody moves all the time. */
const saveEveryMs = (peers: number): number => Math.min(10_000, 2_000 + peers);
const LOAD_LIMIT_MS = 3_000;

/** Where and when a peer was last heard. */
export interface Heard {
  /** `ip:port` */
  readonly endpoint: string;
  /** Seconds since the epoch of its last handshake; 0 when that is not known. */
  readonly handshake: number;
}

export const isEndpoint = (text: string): boolean => endpoint.test(text);

/**
 * Where each peer was last heard. An interface that is made anew knows no peer's address, and an idle client
 * notices the loss only at its next handshake, up to two minutes later; given the address, the hub speaks first.
 * A stale address does no harm: a peer's next packet replaces it.
 */
export class Endpoints {
  private readonly known = new Map<PublicKey, Heard>();
  private unshared = new Set<PublicKey>();
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

  /** These, by their last handshakes. */
  latestFirst(publicKeys: readonly PublicKey[]): PublicKey[] {
    const at = (key: PublicKey) => this.known.get(key)?.handshake ?? 0;
    return [...publicKeys].sort((a, b) => at(b) - at(a));
  }

  note(peers: Iterable<LivePeer>): void {
    let changed = false;
    for (const { publicKey, endpoint, latestHandshake } of peers) {
      if (endpoint === undefined) continue;
      const before = this.known.get(publicKey);
      const isElsewhere = before?.endpoint !== endpoint;
      if (!isElsewhere && before.handshake >= latestHandshake) continue;
      this.known.set(publicKey, { endpoint, handshake: latestHandshake });
      this.unshared.add(publicKey);
      changed ||= isElsewhere;
    }
    if (changed) this.saveLater();
  }

  forget(publicKey: PublicKey): void {
    if (!this.known.delete(publicKey)) return;
    this.unshared.add(publicKey);
    this.saveLater();
  }

  /** What another hub has heard counts before what this one heard earlier. */
  learn(heard: Iterable<readonly [PublicKey, Heard]>): void {
    for (const [publicKey, what] of heard) this.known.set(publicKey, what);
  }

  /** What has changed since this was last asked; undefined for a peer that was forgotten. */
  takeUnshared(): Map<PublicKey, Heard | undefined> {
    const unshared = new Map([...this.unshared].map((key) => [key, this.known.get(key)]));
    this.unshared = new Set();
    return unshared;
  }

  /** Tell all of them again. */
  shareAll(): void {
    this.unshared = new Set([...this.unshared, ...this.known.keys()]);
  }

  get count(): number {
    return this.known.size;
  }

  /** Read what the last hub knew. Never rejects: without it clients come back by themselves, later. */
  async load(): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      limit = setTimeout(() => reject(new Error("The object store does not answer.")), LOAD_LIMIT_MS);
    });
    try {
      const text = await Promise.race([this.store.get(ENDPOINTS_KEY), late]);
      if (text === undefined) return;
      for (const [key, value] of Object.entries(Stored.parse(JSON.parse(text)))) {
        this.known.set(key as PublicKey, { endpoint: value, handshake: 0 });
      }
    } catch (error) {
      this.log.warn({ err: error }, "the peers' last addresses cannot be read");
    } finally {
      clearTimeout(limit);
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
      this.log.warn({ err: error }, "the peers' last addresses were not saved");
      this.saveLater();
    }
  }
}
