import { randomBytes } from "node:crypto";
import { Adapter, type Session } from "socket.io-adapter";
import type { Redis } from "../../../platform/redis/client";
import { RecoverableSession } from "./recoverable-session";
import type { Watcher } from "./watcher";

/** A client may be disconnected for this long, and recovers its session. */
export const RECOVERY_WINDOW_MS = 2 * 60 * 1000;
/** An open socket is saved this often, since a replica that is killed cannot save its sockets. */
export const SAVE_INTERVAL_MS = 60 * 1000;
/** Several subscriptions are saved together. */
const SAVE_DELAY_MS = 20;

/** Enough random bytes that it cannot be guessed. */
const newTicket = (): string => randomBytes(18).toString("base64url");

export type SessionStore = ReturnType<typeof sessionStore>;

/** Sessions by their tickets, for all replicas. Every method rejects while Redis is unreachable. */
export function sessionStore(redis: Redis) {
  const keyOf = (ticket: string) => `fleet:socket:${ticket}`;
  return {
    save: (ticket: string, session: RecoverableSession, lifeMs: number): Promise<unknown> =>
      redis.set(keyOf(ticket), JSON.stringify(session), "PX", lifeMs),
    /** Undefined for a ticket that is unknown or too old. */
    load: async (ticket: string) => {
      const text = await redis.get(keyOf(ticket));
      return text === null ? undefined : RecoverableSession.safeParse(JSON.parse(text)).data;
    },
    drop: (ticket: string): Promise<unknown> => redis.del(keyOf(ticket)),
  };
}

/**
 * Socket.IO asks its adapter for the state of a client that reconnects. The socket gets a new id, since the former one
 * may not be known as dead yet, and no rooms, since the access check is repeated.
 */
export const recoveringAdapter = (store: SessionStore) =>
  class extends Adapter {
    override async restoreSession(pid: string, ticket: string): Promise<Session> {
      const recovered = await store.load(ticket);
      if (!recovered) return null as unknown as Session;
      return { sid: newTicket(), pid, rooms: [], data: { recovered, ticket }, missedPackets: [] };
    }
  };

/**
 * Saves the streams of one socket, so that its client is in its rooms again after a network failure, at any replica.
 * While Redis is unreachable nothing is saved, and the client must subscribe again.
 */
export class SessionRecovery {
  private readonly ticket = newTicket();
  private timer: NodeJS.Timeout | undefined;
  private left = false;

  constructor(
    private readonly watcher: Watcher,
    private readonly userId: number,
    private readonly store: SessionStore,
  ) {}

  /** The client library keeps the last string argument of any event, and sends it when it reconnects. */
  sendTicket(): void {
    this.watcher.socket.emit("session", this.ticket);
  }

  /** The streams changed. */
  changed(): void {
    if (this.left) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveRegularly(), SAVE_DELAY_MS);
  }

  /** The socket disconnects, and is still in its rooms. */
  leaving(reason: string): void {
    this.left = true;
    clearTimeout(this.timer);
    if (reason.endsWith("namespace disconnect")) this.drop(this.ticket);
    else this.save(RECOVERY_WINDOW_MS);
  }

  drop(ticket: string): void {
    this.store.drop(ticket).catch(() => {});
  }

  private saveRegularly(): void {
    this.save(RECOVERY_WINDOW_MS + SAVE_INTERVAL_MS);
    this.timer = setTimeout(() => this.saveRegularly(), SAVE_INTERVAL_MS).unref();
  }

  private save(lifeMs: number): void {
    const streams = this.watcher.streams.map(({ droneId, stream }) => ({
      drone_id: droneId,
      stream_type: stream,
    }));
    const { socket, watchesFleet: fleet } = this.watcher;
    const session = { user_id: this.userId, socket_id: socket.id, streams, fleet };
    this.store.save(this.ticket, session, lifeMs).catch(() => {});
  }
}
