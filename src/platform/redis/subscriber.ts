import type { Logger } from "../process/log";
import { openRedis, type Redis } from "./client";

/** Between two requests of a refused subscription. */
const RETRY_MS = 1_000;

type Listener = (message: string) => void;

/**
 * Subscriptions over one connection, one listener for each channel. All are renewed when Redis is back, and a refused
 * one is requested again until Redis accepts it. Messages of the meantime are lost.
 */
export class Subscriber {
  /** In Redis' subscriber mode; its commands wait while Redis is unreachable. */
  readonly connection: Redis;
  private readonly listeners = new Map<string, Listener>();
  private readonly refused = new Set<string>();
  private retry: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly log: Logger,
  ) {
    this.connection = openRedis(url, log, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
      // A subscription that ioredis itself renews and Redis refuses is an unhandled rejection, which ends the process.
      autoResubscribe: false,
    });
    this.connection.on("ready", () => {
      for (const channel of this.listeners.keys()) this.request(channel);
    });
    this.connection.on("message", (channel, message) => this.listeners.get(channel)?.(message));
  }

  /** Calls `listener` with every message of the channel from now on. Returns the function that unsubscribes. */
  onMessage(channel: string, listener: Listener): () => void {
    this.listeners.set(channel, listener);
    this.request(channel);
    return () => {
      if (this.listeners.get(channel) !== listener) return;
      this.listeners.delete(channel);
      this.refused.delete(channel);
      if (this.connection.status === "ready") this.connection.unsubscribe(channel).catch(() => {});
    };
  }

  close(): void {
    clearTimeout(this.retry);
    this.connection.disconnect();
  }

  private request(channel: string): void {
    if (!this.listeners.has(channel) || this.connection.status !== "ready") return;
    this.connection.subscribe(channel).then(
      () => this.refused.delete(channel),
      (error: Error) => {
        if (!this.refused.has(channel) && error.name === "ReplyError")
          this.log.error({ channel, reason: error.message }, "Redis refuses a subscription; retrying");
        this.refused.add(channel);
        this.retry ??= setTimeout(() => this.requestRefused(), RETRY_MS).unref();
      },
    );
  }

  private requestRefused(): void {
    this.retry = undefined;
    for (const channel of this.refused) this.request(channel);
  }
}
