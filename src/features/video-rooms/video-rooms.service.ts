import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { Drone } from "../drones";
import { explained } from "./explained";
import type { Janus } from "./janus";
import { freshKeys, isOpen, makeRoom, publisherOf, removeRoom } from "./rooms";
import { lockRoom, type RoomKeys, saveKeys, unlockRoom } from "./video-rooms.store";

interface VideoRoomsDeps {
  readonly db: Db;
  /** Undefined where no media server is configured. */
  readonly janus: Janus | undefined;
  readonly log: Logger;
  /** The user's drone, or `not_found`. */
  readonly droneFor: (userId: number, droneId: number) => Promise<Drone>;
  /** Resolves with the number of subscribers that received it. */
  readonly publish: (channel: string, payload: string) => Promise<number>;
}

interface OpenRoom extends RoomKeys {
  /** The drone's id. */
  readonly room: number;
  /** Made by this call: no client knows its keys yet. */
  readonly isNew: boolean;
}

export type StartedStream = OpenRoom & {
  /** Subscribers of the drone's channel that received the start of the stream. */
  readonly listeners: number;
};

/** What is needed to watch a drone's camera. */
interface Camera {
  readonly room: number;
  readonly pin: string;
  /** The publisher's id. */
  readonly feed: number;
}

/** Limit of one call, the wait for the room's lock included. */
export const LIMIT_MS = 2_400;
/** A lock outlives its process by as much at most. */
const LOCK_SECONDS = 5;
const RESTART_PAUSE_MS = 300;
/** Arming does not wait longer for video. */
const ARM_LIMIT_MS = 800;

export const NO_MEDIA_SERVER = "There is no media server: JANUS_URL is not configured.";
export const NOBODY_SENDS = "The drone's camera does not send yet. Try again in a second.";

type LockedRoom = {
  readonly janus: Janus;
  readonly signal: AbortSignal;
  readonly keys: RoomKeys | undefined;
};

/**
 * The room of each drone on the media server. Its number is the drone's id, and it exists from start to stop. Each new
 * room has new keys; the database keeps them for the process that uses or ends the room next.
 */
export class VideoRooms {
  constructor(private readonly deps: VideoRoomsDeps) {}

  /** For the drone: opens its room, and publishes the keys on its channel too. */
  async open(drone: Drone): Promise<OpenRoom> {
    const room = await this.ensure(drone, LIMIT_MS);
    await this.publishDetails(drone, room);
    return room;
  }

  /** `publishKeys` publishes the keys of an existing room again; those of a new room are always published. */
  async start(userId: number, droneId: number, publishKeys: boolean): Promise<StartedStream> {
    const drone = await this.deps.droneFor(userId, droneId);
    const room = await this.ensure(drone, LIMIT_MS);
    return this.startStream(drone, room, publishKeys || room.isNew);
  }

  async stop(userId: number, droneId: number): Promise<void> {
    const drone = await this.deps.droneFor(userId, droneId);
    await this.stopStream(drone);
  }

  async restart(userId: number, droneId: number): Promise<StartedStream> {
    const drone = await this.deps.droneFor(userId, droneId);
    const begun = Date.now();
    await this.stopStream(drone);
    await delay(RESTART_PAUSE_MS);
    const left = LIMIT_MS + RESTART_PAUSE_MS - (Date.now() - begun);
    const room = await this.ensure(drone, Math.max(left, 500));
    return this.startStream(drone, room, true);
  }

  /**
   * The camera that sends into the drone's room. Rejects with `not_found` when the stream was not started, and with
   * `conflict` while nobody sends. A room that a restarted media server has forgotten is made anew, and the stream started
   * in it.
   */
  async camera(userId: number, droneId: number): Promise<Camera> {
    const drone = await this.deps.droneFor(userId, droneId);
    const { room, feed } = await this.withLock(droneId, LIMIT_MS, async (locked) => {
      if (!locked.keys) throw new DomainError("not_found", "The drone's video is off. Start it first.");
      const room = await opened(this.deps.db, droneId, locked);
      return { room, feed: await publisherOf(locked.janus, droneId, locked.signal) };
    });
    if (room.isNew) await this.startStream(drone, room, true);
    if (feed === undefined) throw new DomainError("conflict", NOBODY_SENDS);
    return { room: droneId, pin: room.pin, feed };
  }

  /** Opens the room of a simulated drone before it is armed. */
  async beforeArm(drone: Drone): Promise<void> {
    if (drone.type !== "sitl" || !this.deps.janus) return;
    await this.publishDetails(drone, await this.ensure(drone, ARM_LIMIT_MS));
  }

  /** For a drone that was deleted or changed its owner: disconnects its watchers. */
  async close(droneId: number): Promise<void> {
    if (!this.deps.janus) return;
    await this.remove(droneId);
  }

  private async startStream(drone: Drone, room: OpenRoom, publishKeys: boolean): Promise<StartedStream> {
    if (publishKeys) await this.publishDetails(drone, room);
    return { ...room, listeners: await this.publishState(drone, "START") };
  }

  private async stopStream(drone: Drone): Promise<void> {
    await this.publishState(drone, "STOP");
    // Ends the stream of a drone that does not listen, too.
    await this.remove(drone.id);
  }

  private publishDetails(drone: Drone, { room, pin, secret }: OpenRoom): Promise<number> {
    const details = { room_number: room, room_password: pin, room_mgmt_token: secret, status: "START" };
    return this.deps.publish(channelOf(drone, "video_room_details"), JSON.stringify(details));
  }

  private publishState(drone: Drone, status: "START" | "STOP"): Promise<number> {
    const state = { room_number: drone.id, status };
    return this.deps.publish(channelOf(drone, "video_room_state"), JSON.stringify(state));
  }

  private ensure({ id: room }: Drone, limitMs: number): Promise<OpenRoom> {
    return this.withLock(room, limitMs, (locked) => opened(this.deps.db, room, locked));
  }

  private remove(room: number): Promise<void> {
    return this.withLock(room, LIMIT_MS, async ({ janus, signal, keys }) => {
      if (!keys) return;
      await removeRoom(janus, room, keys, signal);
      await saveKeys(this.deps.db, room, undefined);
    });
  }

  /** Changes a room under its lock, which every process takes. */
  private async withLock<T>(
    room: number,
    limitMs: number,
    change: (locked: LockedRoom) => Promise<T>,
  ): Promise<T> {
    const { db, janus } = this.deps;
    if (!janus) {
      throw new DomainError("video_room_failed", NO_MEDIA_SERVER);
    }
    const signal = AbortSignal.timeout(limitMs);
    let locked = await lockRoom(db, room, LOCK_SECONDS);
    while (!locked) {
      if (signal.aborted) throw new DomainError("video_room_failed", "The room is being changed; try again.");
      await delay(30);
      locked = await lockRoom(db, room, LOCK_SECONDS);
    }
    try {
      return await change({ janus, signal, ...locked });
    } catch (error) {
      throw explained(error, signal);
    } finally {
      await unlockRoom(db, room).catch((err) => this.deps.log.warn({ err }, "Cannot unlock a video room"));
    }
  }
}

/** The room with the keys that it had, or made with new ones. */
async function opened(db: Db, room: number, { janus, signal, keys }: LockedRoom): Promise<OpenRoom> {
  if (keys && (await isOpen(janus, room, keys, signal))) return { room, ...keys, isNew: false };
  const fresh = freshKeys();
  // Stored first: a room whose secret was lost could never be ended.
  await saveKeys(db, room, fresh);
  await makeRoom(janus, room, fresh, signal);
  return { room, ...fresh, isNew: true };
}

function channelOf(drone: Drone, topic: "video_room_details" | "video_room_state"): string {
  if (!drone.ip) throw new DomainError("video_room_failed", "The drone has no address yet.");
  return `${drone.ip}:${topic}`;
}
