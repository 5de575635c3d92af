import { isUtf8 } from "node:buffer";
import type { Redis } from "../platform/redis/client";

/** A message's bytes, always valid UTF-8, and when it arrived (`performance.now()`). */
export type Listener = (message: Buffer, arrivedAt: number) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  /** Settles when Redis has taken the subscription. */
  readonly inForce: Promise<unknown>;
}

/**
 * Subscriptions counted over one connection: a channel is subscribed for its first listener and unsubscribed
 * with its last, however many sessions share a drone. Redis works through the connection's commands in order,
 * so a channel that is left and joined again at once ends up joined.
 */
export class Channels {
  private readonly channels = new Map<string, Channel>();

  /**
   * The connection is this one's alone, must not re-subscribe by itself, and is replaced when its far end is silent, as
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

  /** Resolves when every message from now on will be heard; rejects when Redis cannot be reached. */
  async join(names: readonly string[], listener: Listener): Promise<void> {
    const fresh = names.filter((name) => !this.channels.has(name));
    if (fresh.length > 0) {
      const inForce = this.redis.subscribe(...fresh);
      for (const name of fresh) this.channels.set(name, { listeners: new Set(), inForce });
      inForce.catch(() => {
        for (const name of fresh)
          if (this.channels.get(name)?.inForce === inForce) this.channels.delete(name);
      });
    }
    const joined = names.map((name) => this.channels.get(name) as Channel);
    for (const { listeners } of joined) listeners.add(listener);
    await Promise.all(joined.map(({ inForce }) => inForce));
  }

  /** Messages stop here at once. Leaving what was never joined, or was lost with the connection, is no fault. */
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
