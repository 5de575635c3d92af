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
/** A takeover waits no longer for the endpoints, and the end of a hub no longer for their last save. */
const LIMIT_MS = 2_000;

/**
 * The last endpoint of each peer, `ip:port`, kept in the object store for the next hub. A new interface knows no endpoint,
 * and an idle client notices the loss only at its next handshake, up to two minutes later. With the endpoint the hub
 * starts the handshake. A stale address does no harm: a peer's next packet replaces it.
 */
export class Endpoints {
  private readonly known = new Map<PublicKey, string>();
  private timer: NodeJS.Timeout | undefined;
  private savedAt = Number.NEGATIVE_INFINITY;
  private stopped = false;

  constructor(
    private readonly store: Pick<ConfigStore, "get" | "put">,
    private readonly log: Logger,
    /** Whether this hub may write to the store. */
    private readonly mayWrite: () => boolean,
  ) {}

  of = (publicKey: PublicKey): string | undefined => this.known.get(publicKey);

  record(peers: Iterable<LivePeer>): void {
    for (const { publicKey, endpoint } of peers) {
      if (endpoint === undefined || this.known.get(publicKey) === endpoint) continue;
      this.known.set(publicKey, endpoint);
      this.saveLater();
    }
  }

  forget(publicKey: PublicKey): void {
    if (this.known.delete(publicKey)) this.saveLater();
  }

  /** Read what the previous hub saved. Never rejects: without it clients reconnect by themselves, later. */
  async load(): Promise<void> {
    try {
      const text = await limited(this.store.get(ENDPOINTS_KEY));
      if (text === undefined) return;
      for (const [key, value] of Object.entries(Stored.parse(JSON.parse(text)))) {
        this.known.set(key as PublicKey, value);
      }
    } catch (error) {
      this.log.warn({ err: error }, "Cannot load the previous hub's endpoints; idle clients reconnect later");
    }
  }

  /** Save now what has changed. Never rejects. */
  async flush(): Promise<void> {
    if (!this.timer) return;
    clearTimeout(this.timer);
    await this.save();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.flush();
  }

  private saveLater(): void {
    if (this.stopped) return;
    const sinceMs = performance.now() - this.savedAt;
    this.timer ??= setTimeout(
      () => void this.save(),
      Math.max(SAVE_DELAY_MS, saveEveryMs(this.known.size) - sinceMs),
    );
  }

  private async save(): Promise<void> {
    this.timer = undefined;
    this.savedAt = performance.now();
    if (!this.mayWrite()) return;
    try {
      await limited(this.store.put(ENDPOINTS_KEY, JSON.stringify(Object.fromEntries(this.known))));
    } catch (error) {
      this.log.warn({ err: error }, "Failed to save the peers' endpoints to the object store");
      this.saveLater();
    }
  }
}

const limited = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  withTimeout(answer, LIMIT_MS, "The object store does not answer.");
