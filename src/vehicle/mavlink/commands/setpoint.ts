import { DomainError } from "../../../domain/errors";
import { distance } from "../../../domain/geo";
import { toE7 } from "../../../domain/mission-item";
import type { VehicleIdentity } from "../../link";
import { isNoResponse, orderUnanswered } from "../no-response";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { common, type MavLinkData } from "../wire/messages";
import type { Commands } from "./commands";

/** MAV_FRAME. */
const LOCAL_NED = 1;
const GLOBAL_RELATIVE_ALT_INT = 6;
/** POSITION_TARGET_TYPEMASK: everything but the position is ignored. */
const POSITION_ONLY: number = 0b1101_1111_1000;
/** The autopilot computes in floats and centimetres, and the height of home against the origin drifts. */
const TOLERANCE_M = 0.5;
const HEIGHT_TOLERANCE_M = 1.5;

export interface SetpointTimings {
  /** How often a setpoint is sent before its absence is believed. */
  readonly setpointAttempts: number;
  /** How long the report of the current target may take. */
  readonly targetMs: number;
}

/** `unconfirmed`: the vehicle does not report its target, or has no target. `detail` is for people. */
interface SetpointVerdict {
  readonly verdict: "confirmed" | "unconfirmed" | "refused";
  readonly detail: string;
}

/** Degrees, and metres above mean sea level where the height matters. */
export interface Target {
  readonly lat: number;
  readonly lng: number;
  readonly altitude?: number;
}

/**
 * Sends a setpoint and asks for the target that the vehicle is now going to (POSITION_TARGET_GLOBAL_INT): setpoint
 * messages have no acknowledgement, and a vehicle that is not in guided mode, or will not go there, drops them silently.
 * The setpoint is sent again only when that question was answered, so that no copy is delayed on the way, and while no
 * other order has followed: `conflict` when one has. It names a position, so a second copy changes nothing. Rejects with
 * `outcome_unknown` when it was sent and the vehicle then stopped answering. `action` completes "The order to …".
 */
export async function confirmTarget(
  channel: Channel,
  commands: Commands,
  setpoint: MavLinkData,
  target: Target,
  timings: SetpointTimings,
  action: string,
): Promise<SetpointVerdict> {
  let reported: common.PositionTargetGlobalInt | undefined;
  let sent = false;
  const isLatest = commands.startOrder();
  try {
    for (let attempt = 0; attempt < timings.setpointAttempts; attempt++) {
      channel.assertOpen();
      if (!isLatest()) throw new DomainError("conflict", `Another order followed the one to ${action}.`);
      sent = channel.send(setpoint) || sent;
      const answer = await commands.fetch(common.PositionTargetGlobalInt, timings.targetMs);
      if (answer && isTarget(answer, target)) {
        return { verdict: "confirmed", detail: "The vehicle reports this target." };
      }
      reported = answer ?? reported;
    }
    channel.assertOpen();
  } catch (error) {
    throw sent && isNoResponse(error) ? orderUnanswered(action, error) : error;
  }
  if (!reported) {
    return {
      verdict: "unconfirmed",
      detail: "The setpoint was sent in guided mode; the vehicle does not report its target.",
    };
  }
  const { latInt, lonInt, alt } = reported;
  return {
    verdict: "refused",
    detail: `its target is ${latInt / 1e7}, ${lonInt / 1e7} at ${alt.toFixed(1)} m`,
  };
}

function isTarget({ latInt, lonInt, alt }: common.PositionTargetGlobalInt, target: Target): boolean {
  const near = distance(target, { lat: latInt / 1e7, lng: lonInt / 1e7 }) < TOLERANCE_M;
  return near && (target.altitude === undefined || Math.abs(alt - target.altitude) < HEIGHT_TOLERANCE_M);
}

/** Degrees, and metres above home. */
export const globalSetpoint = (
  vehicle: VehicleIdentity,
  to: { lat: number; lng: number; altitude: number },
): MavLinkData =>
  build(common.SetPositionTargetGlobalInt, {
    targetSystem: vehicle.systemId,
    targetComponent: vehicle.componentId,
    coordinateFrame: GLOBAL_RELATIVE_ALT_INT,
    typeMask: POSITION_ONLY,
    latInt: toE7(to.lat),
    lonInt: toE7(to.lng),
    alt: to.altitude,
  });

/** Metres from the estimator's origin, z down. */
export const localSetpoint = (
  vehicle: VehicleIdentity,
  ned: { x: number; y: number; z: number },
): MavLinkData =>
  build(common.SetPositionTargetLocalNed, {
    targetSystem: vehicle.systemId,
    targetComponent: vehicle.componentId,
    coordinateFrame: LOCAL_NED,
    typeMask: POSITION_ONLY,
    ...ned,
  });
