import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Redis } from "../../platform/redis/client";
import { type Endpoints, isEndpoint, type PeerEndpoint } from "./endpoints";
import type { HubMetrics } from "./metrics";

/** Public key → `ip:port SECONDS`, the second of the last handshake. No private key is ever in here. */
export const ENDPOINTS_HASH = "fleet:hub:endpoints";

const EVERY_MS = 1_000;
const FIELDS_AT_ONCE = 500;

export interface EndpointSharingOptions {
  readonly redis: Redis;
  readonly endpoints: Pick<Endpoints, "takeChanges" | "markAllChanged" | "merge" | "count">;
  readonly isActive: () => boolean;
  /** Read the peers' endpoints from the interfaces. */
  readonly refresh: () => Promise<void>;
  readonly log: Logger;
  readonly metrics: HubMetrics;
}

/**
 * Shares the peers' latest endpoints: the active hub writes the changes to Redis each second, and a hub that takes over
 * reads them.
 */
export class EndpointSharing {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private failing = false;

  constructor(private readonly options: EndpointSharingOptions) {
    // A Redis that comes back may have lost everything.
    options.redis.on("ready", () => options.endpoints.markAllChanged());
  }

  start(): void {
    this.timer = setTimeout(() => void this.publish().finally(() => this.stopped || this.start()), EVERY_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.options.redis.disconnect();
  }

  /** Rejects when Redis does not answer: the takeover goes on with what is known. */
  async load(): Promise<void> {
    const { redis, endpoints, metrics } = this.options;
    const peers = Object.entries(await redis.hgetall(ENDPOINTS_HASH)).flatMap(parseEndpoint);
    endpoints.merge(peers);
    metrics.loaded(peers.length);
    endpoints.markAllChanged();
  }

  /** Write what has changed to Redis. Never rejects. */
  async publish(): Promise<void> {
    const { redis, endpoints, isActive, refresh, log, metrics } = this.options;
    if (!isActive()) return;
    await refresh();
    const changes = [...endpoints.takeChanges()];
    const kept = changes.flatMap(([key, what]) => (what ? [[key, printEndpoint(what)] as const] : []));
    const gone = changes.flatMap(([key, what]) => (what ? [] : [key]));
    try {
      for (const part of inParts(kept)) await redis.hset(ENDPOINTS_HASH, ...part.flat());
      for (const part of inParts(gone)) await redis.hdel(ENDPOINTS_HASH, ...part);
      metrics.shared(kept.length);
      if (this.failing) log.info("Sharing the peers' endpoints works again");
      this.failing = false;
    } catch (error) {
      endpoints.markAllChanged();
      metrics.shareFailed();
      if (!this.failing) log.warn({ err: error }, "Cannot share the peers' endpoints");
      this.failing = true;
    }
  }
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += FIELDS_AT_ONCE) {
    yield items.slice(start, start + FIELDS_AT_ONCE);
  }
}

const printEndpoint = ({ endpoint, handshake }: PeerEndpoint): string => `${endpoint} ${handshake}`;

/** Entries that are malformed are left out: other programs share this Redis. */
function parseEndpoint([key, text]: [string, string]): [PublicKey, PeerEndpoint][] {
  const [endpoint = "", seconds = ""] = text.split(" ");
  if (!isPublicKey(key) || !isEndpoint(endpoint) || !/^\d{1,12}$/.test(seconds)) return [];
  return [[key, { endpoint, handshake: Number(seconds) }]];
}
