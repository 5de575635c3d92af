import { build } from "../../vehicle/mavlink/wire/codec";
import { common } from "../../vehicle/mavlink/wire/messages";
import { atEndOfFile } from "../clean-up";
import type { ApiClient } from "../client";
import { startPeer } from "./mavlink-peer";
import { ack } from "./scripted-link";

const ACCEPTED = 0;

export interface CountingVehicle {
  readonly host: string;
  readonly port: number;
  /** The number of the frame that was sent last. */
  readonly newest: number;
  /** When a frame was sent, by `performance.now()`. */
  sentAt(number: number): number;
  /** Sends no position until `resume`. */
  pause(): void;
  resume(): void;
}

/**
 * A fake autopilot whose positions are numbered: each is a millimetre higher than the last. A vehicle on the ground
 * would send equal ones.
 */
export async function startCountingVehicle(hertz = 10): Promise<CountingVehicle> {
  const peer = await startPeer({ heartbeatMs: 500 });
  peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, ACCEPTED)));
  const times = [0];
  let held = false;
  const timer = setInterval(() => {
    if (held) return;
    peer.send(build(common.GlobalPositionInt, { relativeAlt: times.length }));
    // The link requests its streams again when attitude messages stop.
    peer.send(build(common.AttitudeQuaternion, { q1: 1 }));
    times.push(performance.now());
  }, 1_000 / hertz);
  atEndOfFile(() => {
    clearInterval(timer);
    return peer.close();
  });
  return {
    host: peer.host,
    port: peer.port,
    get newest() {
      return times.length - 1;
    },
    sentAt: (number) => times[number] as number,
    pause: () => {
      held = true;
    },
    resume: () => {
      held = false;
    },
  };
}

/** A user's drone that is a counting vehicle. */
export async function countingDrone(
  api: ApiClient,
  hertz?: number,
): Promise<{ readonly id: number; readonly vehicle: CountingVehicle }> {
  const vehicle = await startCountingVehicle(hertz);
  const { status, body } = await api.post("/drone", {
    type: "sitl",
    name: "counting",
    vehicle_type: "copter",
    port: vehicle.port,
    link_host: vehicle.host,
  });
  if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  return { id: body.id, vehicle };
}

/** The number of a `relalt` frame of such a vehicle. */
export const frameNumberOf = (frame: { readonly data: { readonly data: number } }): number =>
  Math.round(frame.data.data * 1_000);
