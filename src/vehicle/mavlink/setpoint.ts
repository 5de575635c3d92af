import { toE7 } from "../../domain/mission-item";
import type { VehicleIdentity } from "../link";
import type { Channel } from "./channel";
import { build } from "./codec";
import type { Commands } from "./commands";
import { distance } from "./geo";
import { common, type MavLinkData, type MavLinkDataConstructor } from "./messages";

/** MAV_FRAME. */
const LOCAL_NED = 1;
const GLOBAL_RELATIVE_ALT_INT = 6;
/** POSITION_TARGET_TYPEMASK: everything but the position is ignored. */
const POSITION_ONLY: number = 0b1101_1111_1000;
/** The autopilot computes in floats and centimetres. */
const TOLERANCE_M = 0.5;

export interface SetpointTimings {
  /** How often a setpoint is sent before its absence is believed. */
  readonly setpointAttempts: number;
  /** How long the report of the current target may take. */
  readonly targetMs: number;
}

/** `unconfirmed`: the vehicle does not report its target, or has none to report. `detail` is for people. */
export interface SetpointVerdict {
  readonly verdict: "confirmed" | "unconfirmed" | "refused";
  readonly detail: string;
}

/**
 * Setpoint messages have no acknowledgement: a vehicle that is not in guided mode, or will not go there, drops
 * them in silence. So the vehicle is asked for the target it is now flying to.
 */
async function confirmTarget<T extends MavLinkData>(
  channel: Channel,
  commands: Commands,
  {
    setpoint,
    report,
    matches,
  }: { setpoint: MavLinkData; report: MavLinkDataConstructor<T>; matches: (target: T) => boolean },
  timings: SetpointTimings,
): Promise<SetpointVerdict> {
  let reported = false;
  for (let attempt = 0; attempt < timings.setpointAttempts; attempt++) {
    channel.assertOpen();
    channel.send(setpoint);
    const answer = await askForTarget(channel, commands, report, timings.targetMs);
    if (answer && matches(answer)) {
      return { verdict: "confirmed", detail: `The vehicle reports this target (${report.MSG_NAME}).` };
    }
    reported ||= answer !== undefined;
  }
  return reported
    ? { verdict: "refused", detail: `the vehicle reports another target (${report.MSG_NAME})` }
    : {
        verdict: "unconfirmed",
        detail: "The setpoint was sent in guided mode; the vehicle does not report its target.",
      };
}

async function askForTarget<T extends MavLinkData>(
  channel: Channel,
  commands: Commands,
  report: MavLinkDataConstructor<T>,
  withinMs: number,
): Promise<T | undefined> {
  let answer: T | undefined;
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const stop = channel.on(report, (message) => {
    answer = message;
    arrived();
  });
  const timer = setTimeout(arrived, withinMs);
  const release = channel.onClose(arrived);
  try {
    if (await commands.requestMessage(report.MSG_ID)) await arrival;
    return answer;
  } finally {
    clearTimeout(timer);
    stop();
    release();
  }
}

/** `to`: degrees, and metres above home. The target comes back above sea level, so only its place is compared. */
export const confirmGlobalTarget = (
  channel: Channel,
  vehicle: VehicleIdentity,
  commands: Commands,
  to: { lat: number; lng: number; altitude: number },
  timings: SetpointTimings,
): Promise<SetpointVerdict> =>
  confirmTarget(
    channel,
    commands,
    {
      setpoint: build(common.SetPositionTargetGlobalInt, {
        targetSystem: vehicle.systemId,
        targetComponent: vehicle.componentId,
        coordinateFrame: GLOBAL_RELATIVE_ALT_INT,
        typeMask: POSITION_ONLY,
        latInt: toE7(to.lat),
        lonInt: toE7(to.lng),
        alt: to.altitude,
      }),
      report: common.PositionTargetGlobalInt,
      matches: ({ latInt, lonInt }) => distance(to, { lat: latInt / 1e7, lng: lonInt / 1e7 }) < TOLERANCE_M,
    },
    timings,
  );

/** `ned`: metres from the estimator's origin. A rover's target has no height. */
export const confirmLocalTarget = (
  channel: Channel,
  vehicle: VehicleIdentity,
  commands: Commands,
  ned: { x: number; y: number; z: number },
  timings: SetpointTimings,
): Promise<SetpointVerdict> =>
  confirmTarget(
    channel,
    commands,
    {
      setpoint: build(common.SetPositionTargetLocalNed, {
        targetSystem: vehicle.systemId,
        targetComponent: vehicle.componentId,
        coordinateFrame: LOCAL_NED,
        typeMask: POSITION_ONLY,
        ...ned,
      }),
      report: common.PositionTargetLocalNed,
      matches: ({ x, y, z }) =>
        Math.hypot(x - ned.x, y - ned.y) < TOLERANCE_M &&
        (vehicle.kind === "rover" || Math.abs(z - ned.z) < TOLERANCE_M),
    },
    timings,
  );
