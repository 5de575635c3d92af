import { isUtf8 } from "node:buffer";
import type { Redis } from "../../platform/redis/client";

/** A message's bytes, always valid UTF-8, and when it arrived (`performance.now()`). */
export type Listener = (message: Buffer, arrivedAt: number) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  /** Settles when Redis has confirmed the subscription. */
  readonly subscribed: Promise<unknown>;
}

/**
 * Subscriptions counted over one connection: a channel is subscribed for its first listener and unsubscribed
 * after its last, however many sessions share a drone. Redis executes a connection's commands in order, so a channel
 * that is left and joined again at once ends up joined.
 */
export class Channels {
  private readonly channels = new Map<string, Channel>();

  /**
   * The connection serves nothing else, must not re-subscribe by itself, and is replaced when Redis stops replying, as
   * those of `openRedis` are. `onDown`: every subscription is lost.
   */
  constructor(
    private readonly redis: Redis,
    onDown: () => void,
  ) {
    redis.on("messageBuffer", (channel: Buffer, message: Buffer) => {
      const listeners = this.channels.get(channel.toString("latin1"))?.listeners;
      if (!listeners) return;
      const arrivedAt = performance.now();
      const text = isUtf8(message) ? message : Buffer.from(message.toString("utf8"));
      for (const listener of listeners) listener(text, arrivedAt);
    });
    redis.on("close", () => {
      this.channels.clear();
      onDown();
    });
  }

  /** How many channels are subscribed. */
  get size(): number {
    return this.channels.size;
  }

  /** Resolves when every message from now on will arrive; rejects when Redis cannot be reached. */
  async join(names: readonly string[], listener: Listener): Promise<void> {
    const fresh = names.filter((name) => !this.channels.has(name));
    if (fresh.length > 0) {
      const subscribed = this.redis.subscribe(...fresh);
      for (const name of fresh) this.channels.set(name, { listeners: new Set(), subscribed });
      subscribed.catch(() => {
        for (const name of fresh)
          if (this.channels.get(name)?.subscribed === subscribed) this.channels.delete(name);
      });
    }
    const joined = names.map((name) => this.channels.get(name) as Channel);
    for (const { listeners } of joined) listeners.add(listener);
    await Promise.all(joined.map(({ subscribed }) => subscribed));
  }

  /** Messages stop at once. Channels that were never joined, or were lost with the connection, are ignored. */
  leave(names: readonly string[], listener: Listener): void {
    const left = names.filter((name) => {
      const channel = this.channels.get(name);
      return channel?.listeners.delete(listener) && channel.listeners.size === 0;
    });
    if (left.length === 0) return;
    for (const name of left) this.channels.delete(name);
    this.redis.unsubscribe(...left).catch(() => {});
  }
}
