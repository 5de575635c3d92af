import { randomInt } from "node:crypto";
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket, useH264 } from "werift";
import { z } from "zod";
import type { JanusApi, JanusHandle } from "../../platform/janus";
import { withTimeout } from "../../platform/with-timeout";
import type { Room } from "./state";

export interface Publisher {
  /** Sends the RTP payloads of a frame. */
  send(payloads: readonly Buffer[]): void;
  /** Resolves with the reason when the room ends, or the media server is lost. */
  readonly ended: Promise<string>;
  /** Leaves the room. */
  stop(): Promise<void>;
}

const LIMIT_MS = 10_000;
/** Hertz, of RTP timestamps of video. */
const CLOCK_RATE = 90_000;

/** Joins the room as its publisher of H.264, in place of one that is there. Rejects when the room does not let it in. */
export async function publish(api: JanusApi, room: Room): Promise<Publisher> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const at = await api.open(signal);
  await removePublishers(api, at, room, signal);
  const track = new MediaStreamTrack({ kind: "video" });
  const connection = await offering(track);
  const join = {
    ...{ request: "joinandconfigure", ptype: "publisher", display: "simulated camera" },
    ...{ room: room.room_number, pin: room.room_password, audio: false, video: true },
  };
  const offer = { type: "offer", sdp: connection.localDescription?.sdp ?? "" } as const;
  const { jsep } = await api.message(at, join, signal, offer);
  if (!jsep) throw new Error("The media server answers no offer.");
  await connection.setRemoteDescription(jsep);
  await withTimeout(whenConnected(connection), LIMIT_MS, "The media server cannot be reached by UDP.");
  return {
    send: sender(track),
    ended: whenEnded(api, at),
    stop: async () => {
      await api.destroy(at, AbortSignal.timeout(1_000)).catch(() => undefined);
      await connection.close();
    },
  };
}

const Participants = z.object({ participants: z.array(z.object({ id: z.int() })) });

/** A camera that was killed keeps the room's one place for a minute. */
async function removePublishers(
  api: JanusApi,
  at: JanusHandle,
  room: Room,
  signal: AbortSignal,
): Promise<void> {
  const named = { room: room.room_number, secret: room.room_mgmt_token };
  const { data } = await api.message(at, { request: "listparticipants", ...named }, signal);
  for (const { id } of Participants.parse(data).participants)
    await api.message(at, { request: "kick", ...named, id }, signal);
}

async function offering(track: MediaStreamTrack): Promise<RTCPeerConnection> {
  const parameters = "profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1";
  const connection = new RTCPeerConnection({ codecs: { audio: [], video: [useH264({ parameters })] } });
  connection.addTransceiver(track, { direction: "sendonly" });
  // Without a server of ours, the library asks one of Google's, and waits for it.
  for (const { connection: ice } of connection.iceTransports) ice.stunServer = undefined;
  await connection.setLocalDescription(await connection.createOffer());
  return connection;
}

const whenConnected = (connection: RTCPeerConnection): Promise<void> =>
  new Promise((resolve) => {
    connection.connectionStateChange.subscribe((state) => {
      if (state === "connected") resolve();
    });
  });

function sender(track: MediaStreamTrack): Publisher["send"] {
  const start = performance.now();
  let sequenceNumber = randomInt(2 ** 15);
  return (payloads) => {
    const timestamp = Math.round(((performance.now() - start) * CLOCK_RATE) / 1_000) % 2 ** 32;
    for (const [index, payload] of payloads.entries()) {
      sequenceNumber = (sequenceNumber + 1) % 2 ** 16;
      const marker = index === payloads.length - 1;
      track.writeRtp(new RtpPacket(new RtpHeader({ sequenceNumber, timestamp, marker }), payload));
    }
  };
}

const ENDS = new Set(["hangup", "detached", "timeout"]);

async function whenEnded(api: JanusApi, at: JanusHandle): Promise<string> {
  try {
    for (;;) {
      const { janus, plugindata } = await api.nextEvent(at, AbortSignal.timeout(60_000));
      const { videoroom, leaving } = plugindata?.data ?? {};
      if (ENDS.has(janus) || videoroom === "destroyed" || leaving !== undefined) return "The room has ended.";
    }
  } catch (error) {
    return `The media server is lost: ${(error as Error).message}`;
  }
}
