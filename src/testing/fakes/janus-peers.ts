import { RTCPeerConnection, useH264 } from "werift";
import { Janus } from "../../features/video-rooms/janus";
import { publisherOf } from "../../features/video-rooms/rooms";
import { type Publisher, publish } from "../../laptop/camera/publisher";
import type { JanusServer } from "../../laptop/servers/janus";
import { JanusApi } from "../../platform/janus";
import { atEndOfFile } from "../clean-up";
import { until } from "../until";

/** The keys of a room, as a drone gets them in `video_room_details`. */
interface RoomDetails {
  readonly room_number: number;
  readonly room_password: string;
  readonly room_mgmt_token: string;
}

/** A drone's camera that sends one byte fifty times a second. Resolves when Janus knows that it sends. */
export async function sendingCamera(
  janus: Pick<JanusServer, "url"> & { readonly apiSecret: string },
  room: RoomDetails,
): Promise<Publisher> {
  const api = new JanusApi(janus);
  const camera = await publish(api, room);
  // A key frame, as far as Janus looks at it.
  const timer = setInterval(() => camera.send([Buffer.from([0x65])]), 20);
  const stop = async () => {
    clearInterval(timer);
    await camera.stop();
  };
  atEndOfFile(stop);
  // The camera is connected before Janus has heard of it.
  const rooms = new Janus(api, undefined);
  await until(async () => Boolean(await publisherOf(rooms, room.room_number, AbortSignal.timeout(5_000))));
  await rooms.close();
  return { ...camera, stop };
}

/** A client of WebRTC that answers an offer of video. `received` resolves with the first packet. */
export async function answering(sdp: string): Promise<{ sdp: string; received: Promise<unknown> }> {
  const connection = new RTCPeerConnection({ codecs: { audio: [], video: [useH264()] } });
  atEndOfFile(() => connection.close());
  const received = new Promise((resolve) => {
    connection.onTrack.subscribe((track) => track.onReceiveRtp.subscribe(resolve));
  });
  await connection.setRemoteDescription({ type: "offer", sdp });
  for (const { connection: ice } of connection.iceTransports) ice.stunServer = undefined;
  await connection.setLocalDescription(await connection.createAnswer());
  return { sdp: connection.localDescription?.sdp ?? "", received };
}
