import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Redis } from "../../platform/redis/client";
import { type Endpoints, type Heard, isEndpoint } from "./endpoints";
import type { HubMetrics } from "./metrics";

/** Public key → `ip:port SECONDS`, the second of the last handshake. No private key is ever in here. */
export const ENDPOINTS_HASH = "fleet:hub:endpoints";

const EVERY_MS = 1_000;
const FIELDS_AT_ONCE = 500;

export interface HubShareOptions {
  readonly redis: Redis;
  readonly endpoints: Pick<Endpoints, "takeUnshared" | "shareAll" | "learn" | "count">;
  readonly isActive: () => boolean;
  /** Read where peers are heard now. */
  readonly freshen: () => Promise<void>;
  readonly log: Logger;
  readonly metrics: HubMetrics;
}

/**
 * What a hub that takes over has to know of the one before: where peers were last heard. The active hub tells Redis
 * each second what has changed; the others read when their turn comes.
 */
export class HubShare {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private failing = false;

  constructor(private readonly options: HubShareOptions) {
    // A Redis that comes back may have lost everything.
    options.redis.on("ready", () => options.endpoints.shareAll());
  }

  start(): void {
    this.timer = setTimeout(() => void this.tell().finally(() => this.stopped || this.start()), EVERY_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.options.redis.disconnect();
  }

  /** Rejects when Redis does not answer: the takeover goes on with what is known. */
  async load(): Promise<void> {
    const { redis, endpoints, metrics } = this.options;
    const peers = Object.entries(await redis.hgetall(ENDPOINTS_HASH)).flatMap(readHeard);
    endpoints.learn(peers);
    metrics.loaded(peers.length);
    endpoints.shareAll();
  }

  /** Tell what has changed; never rejects. */
  async tell(): Promise<void> {
    const { redis, endpoints, isActive, freshen, log, metrics } = this.options;
    if (!isActive()) return;
    await freshen();
    const heard = [...endpoints.takeUnshared()];
    const kept = heard.flatMap(([key, what]) => (what ? [[key, printHeard(what)] as const] : []));
    const gone = heard.flatMap(([key, what]) => (what ? [] : [key]));
    try {
      for (const part of inParts(kept)) await redis.hset(ENDPOINTS_HASH, ...part.flat());
      for (const part of inParts(gone)) await redis.hdel(ENDPOINTS_HASH, ...part);
      metrics.shared(kept.length);
      if (this.failing) log.info("what this hub knows of its peers is shared again");
      this.failing = false;
    } catch (error) {
      endpoints.shareAll();
      metrics.shareFailed();
      if (!this.failing) log.warn({ err: error }, "what this hub knows of its peers cannot be shared now");
      this.failing = true;
    }
  }
}

function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += FIELDS_AT_ONCE) {
    yield items.slice(start, start + FIELDS_AT_ONCE);
  }
}

const printHeard = ({ endpoint, handshake }: Heard): string => `${endpoint} ${handshake}`;

/** Whatever is none is left out: Redis is shared with others. */
function readHeard([key, text]: [string, string]): [PublicKey, Heard][] {
  const [endpoint = "", seconds = ""] = text.split(" ");
  if (!isPublicKey(key) || !isEndpoint(endpoint) || !/^\d{1,12}$/.test(seconds)) return [];
  return [[key, { endpoint, handshake: Number(seconds) }]];
}
