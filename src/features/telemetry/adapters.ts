import { randomBytes } from "node:crypto";
import { createShardedAdapter } from "@socket.io/redis-adapter";
import { Adapter, type BroadcastOptions, MessageType, type Session } from "socket.io-adapter";
import type { Redis } from "../../platform/redis";
import { isTelemetry, type TelemetryFrame } from "./events";
import type { Recovery } from "./recovery";
import { parseRoom, type Stream } from "./streams";

/** A ticket that nobody guesses; also a socket's id. */
export const newTicket = (): string => randomBytes(18).toString("base64url");

interface Packet {
  readonly data?: unknown;
}

interface Broadcast {
  readonly packet: Packet;
  readonly opts: { readonly rooms: string[]; readonly except: string[]; readonly flags?: object };
}

/** What replicas tell each other. */
interface ClusterMessage {
  readonly type: MessageType;
  readonly uid: string;
  readonly data: unknown;
}

/** What the library keeps for those who build on its cluster adapter. */
interface ClusterInsides extends Adapter {
  readonly uid: string;
  onMessage(message: ClusterMessage, offset?: string): void;
  publish(message: { readonly type: MessageType; readonly data: Broadcast }): void;
}

/** The library calls it with `new`; what it returns counts. */
type MakeAdapter = (namespace: unknown) => Adapter;

/**
 * Socket.IO asks it for the state of a client that comes back. Only what the client watched is taken from there:
 * the socket gets a new id, since the old one may not yet be known as dead, and no rooms, since it is asked anew
 * whether it may watch.
 */
const restoring = (recovery: Recovery) => ({
  restoreSession: async (pid: string, ticket: string): Promise<Session> => {
    const remembered = await recovery.load(ticket);
    if (!remembered) return null as unknown as Session;
    return { sid: newTicket(), pid, rooms: [], data: { remembered, ticket }, missedPackets: [] };
  },
});

/** For the only replica. */
export function memoryAdapter(recovery: Recovery): MakeAdapter {
  return function make(namespace) {
    return Object.assign(new Adapter(namespace), restoring(recovery));
  };
}

export interface ShardedOptions {
  readonly publisher: Redis;
  /** In subscriber mode; it keeps its subscriptions over a loss of the connection. */
  readonly subscriber: Redis;
  /** A frame that another replica sent to a room, after those in the room were sent it. */
  readonly received: (frame: TelemetryFrame, stream: Stream) => void;
}

/**
 * For several replicas: a room is a sharded channel of Redis, which only replicas with somebody in the room
 * hear. Four things differ from the library's own ways:
 * - Those here are sent a frame at once, not after Redis has taken it.
 * - What is said to one socket of ours stays here.
 * - No offset is added to what is sent. It comes to a client's listener as an argument more, which clients in
 *   other languages than JavaScript refuse.
 * - Frames from other replicas are shown to `received`.
 */
export function shardedAdapter(recovery: Recovery, options: ShardedOptions): MakeAdapter {
  const makeSharded = createShardedAdapter(options.publisher, patient(options.subscriber));
  return function make(namespace) {
    const adapter = makeSharded(namespace) as unknown as ClusterInsides;
    const hear = adapter.onMessage.bind(adapter);
    return Object.assign(adapter, restoring(recovery), {
      addOffsetIfNecessary: () => {},
      broadcast: async (packet: Packet, to: BroadcastOptions) => {
        const [room] = to.rooms;
        const isDirect = to.rooms.size === 1 && room !== undefined && adapter.sids.has(room);
        Adapter.prototype.broadcast.call(adapter, packet, to);
        if (isDirect || to.flags?.local) return;
        const opts = { rooms: [...to.rooms], except: [...(to.except ?? [])], flags: to.flags };
        adapter.publish({ type: MessageType.BROADCAST, data: { packet, opts } });
      },
      onMessage: (message: ClusterMessage, offset?: string) => {
        hear(message, offset);
        const sent = message.uid === adapter.uid ? undefined : sentFrame(message);
        if (sent) options.received(sent.frame, sent.stream);
      },
    });
  };
}

function sentFrame(message: ClusterMessage): { frame: TelemetryFrame; stream: Stream } | undefined {
  if (message.type !== MessageType.BROADCAST) return undefined;
  const { packet, opts } = message.data as Broadcast;
  const room = parseRoom(opts.rooms[0] ?? "");
  const [event, frame] = Array.isArray(packet.data) ? packet.data : [];
  return room && event === "telemetry_data" && isTelemetry(frame)
    ? { frame, stream: room.stream }
    : undefined;
}

/**
 * The library drops the promises of its subscriptions. They fail only when the connection is closed for good,
 * and that must not end the process as an unhandled rejection.
 */
function patient(subscriber: Redis) {
  return {
    on: (event: string, listener: (...args: unknown[]) => void) => subscriber.on(event, listener),
    ssubscribe: (...channels: string[]) => subscriber.ssubscribe(...channels).catch(() => {}),
    sunsubscribe: (channels: string | string[]) =>
      subscriber.sunsubscribe(...[channels].flat()).catch(() => {}),
  };
}
