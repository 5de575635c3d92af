import { WebSocket } from "ws";
import { closeCodes, Refusal } from "./close";
import type { BoundDrone } from "./drones.store";
import type { Keepalive, Peer } from "./keepalive";
import type { RelayMetrics } from "./metrics";
import { Outbox } from "./outbox";
import type { Pilot } from "./pilot";

export interface GamepadDeps {
  readonly keepalive: Keepalive;
  readonly metrics: RelayMetrics;
  readonly maxBufferedBytes: number;
  readonly maxFrameBytes: number;
}

const CONNECT_MS = 5_000;

const droneIsAway = (cause?: unknown) =>
  new Refusal(closeCodes.tryLater, "The drone does not answer; connect again in a moment.", undefined, {
    cause,
  });

/**
 * The legacy route: frames of either kind pass both ways, unchanged, between the pilot and the drone's own
 * WebSocket at `ws://{ip}:{port}/`. When either goes, the other is closed.
 */
export async function joinGamepad(
  pilot: Pilot,
  { ip }: BoundDrone & { readonly ip: string },
  port: number,
  { keepalive, metrics, maxBufferedBytes, maxFrameBytes }: GamepadDeps,
): Promise<void> {
  const drone = new WebSocket(`ws://${ip}:${port}/`, {
    handshakeTimeout: CONNECT_MS,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });
  pilot.onEnd(() => drone.close());
  const life: Peer = { alive: true, ping: () => drone.ping(), dead: () => drone.terminate() };
  // It may speak in the packet that opens the connection.
  drone.on("message", (data, binary) => {
    life.alive = true;
    pilot.send(data as Buffer, performance.now(), binary);
  });
  await new Promise<void>((resolve, reject) => {
    drone.once("open", resolve);
    drone.once("close", () => reject(droneIsAway()));
    drone.on("error", (error) => {
      reject(droneIsAway(error));
      pilot.refuse(droneIsAway(error));
    });
  });
  drone.on("close", () => pilot.refuse(droneIsAway()));

  pilot.onEnd(keepalive.watch(life));
  drone.on("pong", () => {
    life.alive = true;
  });

  const residence = metrics.residence.of("to_drone");
  const toDrone = new Outbox(drone, maxBufferedBytes, {
    written: (bytes, arrivedAt) => {
      metrics.toDrone.count(bytes);
      residence.observe((performance.now() - arrivedAt) / 1_000);
    },
    dropped: () => {
      metrics.droppedForDrone += 1;
    },
  });
  pilot.start((frame, binary) => {
    if (drone.readyState === WebSocket.OPEN) toDrone.send(frame, performance.now(), binary);
  });
}
