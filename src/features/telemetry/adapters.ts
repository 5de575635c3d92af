import { randomBytes } from "node:crypto";
import { createShardedAdapter } from "@socket.io/redis-adapter";
import { Adapter, type BroadcastOptions, MessageType, type Session } from "socket.io-adapter";
import type { Redis } from "../../platform/redis/client";
import type { Subscriber } from "../../platform/redis/subscriber";
import { isTelemetry, type TelemetryFrame } from "./events";
import { Place } from "./place";
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
  /** Of a frame. */
  readonly place?: Place;
}

/** A frame that another replica sent to a room. */
interface SentFrame {
  readonly frame: TelemetryFrame;
  readonly stream: Stream;
  readonly place: Place | undefined;
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
  readonly subscriber: Subscriber;
  /** Of a frame that is being sent; undefined where frames have no order. */
  readonly placeOf: (frame: TelemetryFrame) => Place | undefined;
  /** Undefined for a frame that is not news here; else the sockets that know it and are left out. */
  readonly admit: (sent: SentFrame) => readonly string[] | undefined;
  /** After those in the room were sent it. */
  readonly received: (sent: SentFrame) => void;
}

/**
 * For several replicas: a room is a sharded channel of Redis, which only replicas with somebody in the room
 * hear. Five things differ from the library's own ways:
 * - Those here are sent a frame at once, not after Redis has taken it.
 * - What is said to one socket of ours stays here.
 * - No offset is added to what is sent. It comes to a client's listener as an argument more, which clients in
 *   other languages than JavaScript refuse.
 * - A frame goes to other replicas with its place, and one that comes too late is not sent on: a replica that stood
 *   still or was cut off may say what is old when it is back, and what was lost with a connection is said anew.
 * - Frames from other replicas are shown to `received`.
 */
export function shardedAdapter(recovery: Recovery, options: ShardedOptions): MakeAdapter {
  const makeSharded = createShardedAdapter(options.publisher, options.subscriber);
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
        const frame = frameOf(packet);
        const place = frame && options.placeOf(frame);
        adapter.publish({ type: MessageType.BROADCAST, data: { packet, opts, place } });
      },
      onMessage: (message: ClusterMessage, offset?: string) => {
        const sent = message.uid === adapter.uid ? undefined : sentFrame(message);
        if (!sent) return hear(message, offset);
        const but = options.admit(sent);
        if (!but) return;
        (message.data as Broadcast).opts.except.push(...but);
        hear(message, offset);
        options.received(sent);
      },
    });
  };
}

function frameOf({ data }: Packet): TelemetryFrame | undefined {
  const [event, frame] = Array.isArray(data) ? data : [];
  return event === "telemetry_data" && isTelemetry(frame) ? frame : undefined;
}

function sentFrame(message: ClusterMessage): SentFrame | undefined {
  if (message.type !== MessageType.BROADCAST) return undefined;
  const { packet, opts, place } = message.data as Broadcast;
  const room = parseRoom(opts.rooms[0] ?? "");
  const frame = frameOf(packet);
  return room && frame && { frame, stream: room.stream, place: Place.safeParse(place).data };
}
