import { setTimeout as delay } from "node:timers/promises";
import { DomainError, isDomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { Drone } from "../drones";
import { type Janus, JanusRefusal, WRONG_SECRET } from "./janus";
import { freshKeys, isOpen, makeRoom, removeRoom } from "./rooms";
import { holdRoom, type RoomKeys, releaseRoom, saveKeys } from "./video-rooms.store";

export interface VideoRoomsDeps {
  readonly db: Db;
  /** Undefined where no media server is configured. */
  readonly janus: Janus | undefined;
  readonly log: Logger;
  /** The user's drone, or `not_found`. */
  readonly droneFor: (userId: number, droneId: number) => Promise<Drone>;
  /** Resolves with how many heard it. */
  readonly publish: (channel: string, payload: string) => Promise<number>;
}

export interface OpenRoom extends RoomKeys {
  /** The drone's id. */
  readonly room: number;
  /** Made just now, so that nobody knows its keys yet. */
  readonly isNew: boolean;
}

export type Started = OpenRoom & {
  /** How many on the drone's side heard that the stream starts. */
  readonly listeners: number;
};

/** Longest answer of one call, the wait for another that changes the same room included. */
const LIMIT_MS = 2_400;
/** The hold of a process that died in the middle ends by itself. */
const HOLD_SECONDS = 5;
const RESTART_PAUSE_MS = 300;
/** A pilot who arms does not wait for video. */
const ARM_LIMIT_MS = 800;

type Held = { readonly janus: Janus; readonly signal: AbortSignal; readonly keys: RoomKeys | undefined };

/**
 * The room of each drone on the media server. A room has the drone's id for its number and exists from its
 * start until its stop; each time it is made it has other keys, which are kept so that whichever process comes
 * next can use or end it.
 */
export class VideoRooms {
  constructor(private readonly deps: VideoRoomsDeps) {}

  /** For the drone itself: its room is there, and it is told the keys on its topic too. */
  async open(drone: Drone): Promise<OpenRoom> {
    const room = await this.holding(drone.id, LIMIT_MS, (held) => this.ensure(drone.id, held));
    await this.tellDetails(drone, room);
    return room;
  }

  /** `tell` gives the drone the keys again; those of a room that had to be made it is given anyway. */
  async start(userId: number, droneId: number, tell: boolean): Promise<Started> {
    const drone = await this.deps.droneFor(userId, droneId);
    const room = await this.holding(drone.id, LIMIT_MS, (held) => this.ensure(drone.id, held));
    return this.startStream(drone, room, tell || room.isNew);
  }

  async stop(userId: number, droneId: number): Promise<void> {
    const drone = await this.deps.droneFor(userId, droneId);
    await this.stopStream(drone, LIMIT_MS);
  }

  async restart(userId: number, droneId: number): Promise<Started> {
    const drone = await this.deps.droneFor(userId, droneId);
    const begun = Date.now();
    await this.stopStream(drone, LIMIT_MS);
    await delay(RESTART_PAUSE_MS);
    const left = LIMIT_MS + RESTART_PAUSE_MS - (Date.now() - begun);
    const room = await this.holding(drone.id, Math.max(left, 500), (held) => this.ensure(drone.id, held));
    return this.startStream(drone, room, true);
  }

  /** A simulated drone that is about to be armed has its room and knows the keys. Nobody waits for it long. */
  async beforeArm(drone: Drone): Promise<void> {
    if (drone.type !== "sitl" || !this.deps.janus) return;
    const room = await this.holding(drone.id, ARM_LIMIT_MS, (held) => this.ensure(drone.id, held));
    await this.tellDetails(drone, room);
  }

  /** The drone is deleted or another's: those who watch it are sent away. */
  async close(droneId: number): Promise<void> {
    if (!this.deps.janus) return;
    await this.holding(droneId, LIMIT_MS, (held) => this.remove(droneId, held));
  }

  private async startStream(drone: Drone, room: OpenRoom, tell: boolean): Promise<Started> {
    if (tell) await this.tellDetails(drone, room);
    return { ...room, listeners: await this.tellState(drone, "START") };
  }

  private async stopStream(drone: Drone, limitMs: number): Promise<void> {
    await this.tellState(drone, "STOP");
    // Also ends the stream of a drone that does not listen.
    await this.holding(drone.id, limitMs, (held) => this.remove(drone.id, held));
  }

  private tellDetails(drone: Drone, { room, pin, secret }: OpenRoom): Promise<number> {
    const details = { room_number: room, room_password: pin, room_mgmt_token: secret, status: "START" };
    return this.deps.publish(channelOf(drone, "video_room_details"), JSON.stringify(details));
  }

  private tellState(drone: Drone, status: "START" | "STOP"): Promise<number> {
    const state = { room_number: drone.id, status };
    return this.deps.publish(channelOf(drone, "video_room_state"), JSON.stringify(state));
  }

  private async ensure(room: number, { janus, signal, keys }: Held): Promise<OpenRoom> {
    if (keys && (await isOpen(janus, room, keys, signal))) return { room, ...keys, isNew: false };
    const fresh = freshKeys();
    // Kept first: a room whose secret nobody knows could never be ended.
    await saveKeys(this.deps.db, room, fresh);
    await makeRoom(janus, room, fresh, signal);
    return { room, ...fresh, isNew: true };
  }

  private async remove(room: number, { janus, signal, keys }: Held): Promise<void> {
    if (!keys) return;
    await removeRoom(janus, room, keys, signal);
    await saveKeys(this.deps.db, room, undefined);
  }

  /** Change a room while nobody else does, here or in another process. */
  private async holding<T>(room: number, limitMs: number, change: (held: Held) => Promise<T>): Promise<T> {
    const { db, janus } = this.deps;
    if (!janus) {
      throw new DomainError("video_room_failed", "There is no media server: JANUS_URL is not configured.");
    }
    const signal = AbortSignal.timeout(limitMs);
    let held = await holdRoom(db, room, HOLD_SECONDS);
    while (!held) {
      if (signal.aborted) throw new DomainError("video_room_failed", "The room is being changed; try again.");
      await delay(30);
      held = await holdRoom(db, room, HOLD_SECONDS);
    }
    try {
      return await change({ janus, signal, ...held });
    } catch (error) {
      throw explained(error, signal);
    } finally {
      await releaseRoom(db, room).catch((err) => this.deps.log.warn({ err }, "a video room stays held"));
    }
  }
}

function channelOf(drone: Drone, topic: "video_room_details" | "video_room_state"): string {
  if (!drone.ip) throw new DomainError("video_room_failed", "The drone has no address yet.");
  return `${drone.ip}:${topic}`;
}

function explained(error: unknown, signal: AbortSignal): unknown {
  const said = (message: string) => new DomainError("video_room_failed", message, { cause: error });
  if (isDomainError(error)) return error;
  if (error instanceof JanusRefusal) {
    return error.code === WRONG_SECRET
      ? said("The media server has a room of this number that is not ours to use; end it there.")
      : said(`The media server refused: ${error.reason}.`);
  }
  if (signal.aborted) return said("The media server did not answer in time.");
  // fetch says nothing more of a connection that failed, or the answer was not Janus's.
  const { name } = error as Error;
  if (name === "TypeError") return said("The media server cannot be reached.");
  if (name === "SyntaxError" || name === "ZodError") return said("What answers at JANUS_URL is not Janus.");
  return error;
}
