import { z } from "zod";
import type { LivePeer } from "../domain/peers";
import { isPublicKey, type PublicKey } from "../domain/wireguard";
import type { Logger } from "../platform/log";
import { type ConfigStore, ENDPOINTS_KEY } from "./client-configs/store";

const endpoint = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$/;
const Stored = z.record(z.string().refine(isPublicKey), z.string().regex(endpoint));

const SAVE_DELAY_MS = 1_000;
const SAVE_EVERY_MS = 10_000;
const LOAD_LIMIT_MS = 3_000;

/**
 * Where each peer was last heard. An interface that is made anew knows no peer's address, and an idle client
 * notices the loss only at its next handshake, up to two minutes later; given the address, the hub speaks first.
 * A stale address does no harm: a peer's next packet replaces it.
 */
export class Endpoints {
  private readonly known = new Map<PublicKey, string>();
  private timer: NodeJS.Timeout | undefined;
  private savedAt = Number.NEGATIVE_INFINITY;
  private stopped = false;

  constructor(
    private readonly store: Pick<ConfigStore, "get" | "put">,
    private readonly log: Logger,
  ) {}

  of = (publicKey: PublicKey): string | undefined => this.known.get(publicKey);

  note(peers: Iterable<LivePeer>): void {
    let changed = false;
    for (const { publicKey, endpoint } of peers) {
      if (endpoint === undefined || this.known.get(publicKey) === endpoint) continue;
      this.known.set(publicKey, endpoint);
      changed = true;
    }
    if (changed) this.saveLater();
  }

  forget(publicKey: PublicKey): void {
    if (this.known.delete(publicKey)) this.saveLater();
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
        this.known.set(key as PublicKey, value);
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
    this.timer ??= setTimeout(() => void this.save(), Math.max(SAVE_DELAY_MS, SAVE_EVERY_MS - sinceMs));
  }

  private async save(): Promise<void> {
    this.timer = undefined;
    this.savedAt = performance.now();
    try {
      await this.store.put(ENDPOINTS_KEY, JSON.stringify(Object.fromEntries(this.known)));
    } catch (error) {
      this.log.warn({ err: error }, "the peers' last addresses were not saved");
      this.saveLater();
    }
  }
}
