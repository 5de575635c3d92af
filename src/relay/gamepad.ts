import { WebSocket } from "ws";
import { closeCodes } from "../domain/relay-sockets";
import { keepAlive, type Peer } from "../http/server/keep-alive";
import { CloseError } from "./close-error";
import type { BoundDrone } from "./drones.store";
import type { RelayMetrics } from "./metrics";
import type { Pilot } from "./pilot";
import { SendBuffer } from "./send-buffer";

export interface GamepadDeps {
  readonly pingMs: number;
  readonly metrics: RelayMetrics;
  readonly maxBufferedBytes: number;
  readonly maxFrameBytes: number;
}

const CONNECT_MS = 5_000;

const droneUnreachable = (cause?: unknown) =>
  new CloseError(closeCodes.tryLater, "The drone does not answer; connect again in a moment.", undefined, {
    cause,
  });

/**
 * The legacy route: frames of either kind pass both ways, unchanged, between the pilot and the drone's own
 * WebSocket at `ws://{ip}:{port}/`. When either closes, so does the other.
 */
export async function joinGamepad(
  pilot: Pilot,
  { ip }: BoundDrone & { readonly ip: string },
  port: number,
  { pingMs, metrics, maxBufferedBytes, maxFrameBytes }: GamepadDeps,
): Promise<void> {
  const drone = new WebSocket(`ws://${ip}:${port}/`, {
    handshakeTimeout: CONNECT_MS,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });
  pilot.onEnd(() => drone.close());
  const life: Peer = { alive: true, ping: () => drone.ping(), dead: () => drone.terminate() };
  // Its first message may come in the packet that opens the connection.
  drone.on("message", (data, binary) => {
    life.alive = true;
    pilot.send(data as Buffer, performance.now(), binary);
  });
  await new Promise<void>((resolve, reject) => {
    drone.once("open", resolve);
    drone.once("close", () => reject(droneUnreachable()));
    drone.on("error", (error) => {
      reject(droneUnreachable(error));
      pilot.closeWith(droneUnreachable(error));
    });
  });
  drone.on("close", () => pilot.closeWith(droneUnreachable()));

  pilot.onEnd(keepAlive(life, pingMs));
  drone.on("pong", () => {
    life.alive = true;
  });

  const toDrone = new SendBuffer(drone, maxBufferedBytes, metrics.toDrone);
  pilot.start((frame, binary) => {
    if (drone.readyState === WebSocket.OPEN) toDrone.send(frame, performance.now(), binary);
  });
}
