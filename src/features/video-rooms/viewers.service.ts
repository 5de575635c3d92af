import type { KeyObject } from "node:crypto";
import { DomainError } from "../../domain/errors";
import {
  isForgotten,
  type JanusApi,
  JanusError,
  type JanusHandle,
  NO_SUCH_FEED,
  NO_SUCH_ROOM,
} from "../../platform/janus";
import type { Quotas } from "../../platform/quotas/quotas";
import { explained } from "./explained";
import { LIMIT_MS, NO_MEDIA_SERVER, NOBODY_SENDS, type VideoRooms } from "./video-rooms.service";
import { viewerId, viewerSession } from "./viewer-id";

interface ViewersDeps {
  /** Undefined where no media server is configured. */
  readonly api: JanusApi | undefined;
  readonly rooms: Pick<VideoRooms, "camera">;
  readonly quotas: Pick<Quotas, "take">;
  readonly signingKey: KeyObject;
  /** Rejects with `not_found` unless the drone is the user's. */
  readonly droneFor: (userId: number, droneId: number) => Promise<unknown>;
}

/** Names one of a user's viewers. */
interface ViewerOf {
  readonly userId: number;
  readonly droneId: number;
  /** As `create` returned it. */
  readonly viewer: string;
}

/**
 * Viewers of drones' cameras. Each is a session of its own on the media server, opened here, so that the media server's
 * API and secrets stay inside. It ends by `end`, or when nobody keeps it alive for a minute.
 */
export class Viewers {
  constructor(private readonly deps: ViewersDeps) {}

  /** The media server makes the offer (SDP) of the stream; `answer` starts it. */
  async create(userId: number, droneId: number): Promise<{ viewer: string; sdp: string }> {
    const { rooms, quotas, signingKey } = this.deps;
    const { room, pin, feed } = await rooms.camera(userId, droneId);
    await quotas.take("video_viewers", userId);
    return this.call(async (api, signal) => {
      const at = await api.open(signal);
      try {
        const join = { request: "join", ptype: "subscriber", room, pin, streams: [{ feed }] };
        const { jsep } = await api.message(at, join, signal);
        if (!jsep) throw new DomainError("video_room_failed", "The media server offers no video.");
        return { viewer: viewerId(signingKey, { user_id: userId, drone_id: droneId }, at), sdp: jsep.sdp };
      } catch (error) {
        // Otherwise it keeps a port of the media server for a minute.
        await api.destroy(at, AbortSignal.timeout(500)).catch(() => undefined);
        throw isGone(error) ? new DomainError("conflict", NOBODY_SENDS, { cause: error }) : error;
      }
    });
  }

  async answer(one: ViewerOf, sdp: string): Promise<void> {
    await this.callFor(one, (api, at, signal) =>
      api.message(at, { request: "start" }, signal, { type: "answer", sdp }),
    );
  }

  async keepAlive(one: ViewerOf): Promise<void> {
    await this.callFor(one, async (api, at, signal) => {
      await this.deps.quotas.take("video_viewers", one.userId);
      await api.keepAlive(at, signal);
    });
  }

  /** A viewer that has ended already counts as ended now. */
  async end(one: ViewerOf): Promise<void> {
    await this.callFor(one, (api, at, signal) =>
      api.destroy(at, signal).catch((error: unknown) => {
        if (!isForgotten(error)) throw error;
      }),
    );
  }

  private async callFor(
    { userId, droneId, viewer }: ViewerOf,
    use: (api: JanusApi, at: JanusHandle, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    await this.deps.droneFor(userId, droneId);
    const at = viewerSession(this.deps.signingKey, { user_id: userId, drone_id: droneId }, viewer);
    if (!at) throw new DomainError("not_found", GONE);
    await this.call((api, signal) => use(api, at, signal));
  }

  private async call<T>(use: (api: JanusApi, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { api } = this.deps;
    if (!api) throw new DomainError("video_room_failed", NO_MEDIA_SERVER);
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      return await use(api, signal);
    } catch (error) {
      if (isForgotten(error)) throw new DomainError("not_found", GONE, { cause: error });
      throw explained(error, signal);
    }
  }
}

const GONE = "There is no such viewer, or it has ended. Begin another.";

/** The camera or its room ended in between. */
const isGone = (error: unknown): boolean =>
  error instanceof JanusError && (error.code === NO_SUCH_FEED || error.code === NO_SUCH_ROOM);
