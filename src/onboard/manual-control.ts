import type { StickFrame } from "../domain/pilot-frames";
import type { VehicleIdentity } from "../vehicle";
import { build } from "../vehicle/mavlink/wire/codec";
import { common } from "../vehicle/mavlink/wire/messages";

type Sticks = Pick<StickFrame, "axes" | "buttons">;

export const NEUTRAL: Sticks = { axes: { roll: 0, pitch: 0, throttle: 0, yaw: 0 }, buttons: [] };

const thousandths = (axis: number): number => Math.round(axis * 1_000);

/**
 * MANUAL_CONTROL for these sticks. The throttle runs from 0 to 1000 with hover at 500; ArduPilot's rovers alone
 * take it from -1000 (backwards) to 1000.
 */
export function manualControl(vehicle: VehicleIdentity, { axes, buttons }: Sticks): common.ManualControl {
  const bothWays = vehicle.autopilot === "ardupilot" && vehicle.kind === "rover";
  return build(common.ManualControl, {
    target: vehicle.systemId,
    x: thousandths(axes.pitch),
    y: thousandths(axes.roll),
    z: bothWays ? thousandths(axes.throttle) : Math.round(500 + axes.throttle * 500),
    r: thousandths(axes.yaw),
    buttons: buttons.reduce((bits, pressed, at) => (pressed ? bits | (1 << at) : bits), 0),
  });
}
