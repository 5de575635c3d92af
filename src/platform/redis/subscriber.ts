import type { Logger } from "../process/log";
import { openRedis, type Redis } from "./client";

/** Pause before a refused subscription is retried. */
const AGAIN_MS = 1_000;

/**
 * Subscriptions over one connection. Each is renewed whenever Redis is back and, where Redis refuses it, retried until
 * Redis accepts it. Messages of the meantime are missed.
 */
export class Subscriber {
  /** In Redis' subscriber mode; its commands wait while Redis is away. */
  readonly connection: Redis;
  private readonly wanted = new Map<string, "subscribe" | "ssubscribe">();
  private readonly refused = new Set<string>();
  private again: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly log: Logger,
  ) {
    this.connection = openRedis(url, log, {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
      // The library's own way leaves a refusal to nobody, which ends the process.
      autoResubscribe: false,
    });
    this.connection.on("ready", () => {
      for (const channel of this.wanted.keys()) this.ask(channel);
    });
  }

  /** Every message of the channel from now on. */
  onMessage(channel: string, listener: (message: string) => void): void {
    this.connection.on("message", (of, message) => {
      if (of === channel) listener(message);
    });
    this.want(channel, "subscribe");
  }

  /** With the two below, what Socket.IO's adapter asks of a client of Redis. */
  on(event: string, listener: (...args: unknown[]) => void): void {
    this.connection.on(event, listener);
  }

  ssubscribe(channel: string): void {
    this.want(channel, "ssubscribe");
  }

  sunsubscribe(channels: string | readonly string[]): void {
    const left = [channels].flat();
    for (const channel of left) this.wanted.delete(channel);
    if (this.connection.status === "ready") this.connection.sunsubscribe(...left).catch(() => {});
  }

  close(): void {
    clearTimeout(this.again);
    this.connection.disconnect();
  }

  private want(channel: string, command: "subscribe" | "ssubscribe"): void {
    this.wanted.set(channel, command);
    this.ask(channel);
  }

  private ask(channel: string): void {
    const command = this.wanted.get(channel);
    if (!command || this.connection.status !== "ready") return;
    this.connection[command](channel).then(
      () => this.refused.delete(channel),
      (error: Error) => {
        if (!this.refused.has(channel) && error.name === "ReplyError")
          this.log.error({ channel, reason: error.message }, "Redis refuses a subscription; retrying");
        this.refused.add(channel);
        this.again ??= setTimeout(() => this.askAgain(), AGAIN_MS).unref();
      },
    );
  }

  private askAgain(): void {
    this.again = undefined;
    for (const channel of [...this.refused])
      if (this.wanted.has(channel)) this.ask(channel);
      else this.refused.delete(channel);
  }
}
