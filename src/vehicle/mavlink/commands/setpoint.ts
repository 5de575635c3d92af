import { DomainError } from "../../../domain/errors";
import type { Acknowledgement } from "../../link";
import { isNoResponse, orderUnanswered } from "../no-response";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { common } from "../wire/messages";
import { type Commands, refusal } from "./commands";
import { isTarget, type Target, targetKept } from "./position-target";

/** MAV_FRAME. */
const LOCAL_NED = 1;
/** POSITION_TARGET_TYPEMASK: everything but the position is ignored. */
const POSITION_ONLY: number = 0b1101_1111_1000;
export interface SetpointTimings {
  /** How often a setpoint is sent before its absence is believed. */
  readonly setpointAttempts: number;
  /** How long the report of the current target may take. */
  readonly targetMs: number;
}

/**
 * Sends the vehicle to `ned`, in metres from the estimator's `origin`, z down, and asks for the target that it is now going
 * to (POSITION_TARGET_GLOBAL_INT), which must be `target`: setpoint messages have no acknowledgement, and a vehicle that
 * is not in guided mode, or will not go there, drops them silently. The setpoint is sent again only when that question was
 * answered, so that no copy is delayed on the way, and while no other order has followed: `conflict` when one has. It
 * names a position, so a second copy changes nothing. Rejects with `vehicle_refused` when the vehicle keeps another target,
 * and with `outcome_unknown` when it was sent and the vehicle then stopped answering.
 */
export async function moveTo(
  channel: Channel,
  commands: Commands,
  ned: { x: number; y: number; z: number },
  target: Target,
  origin: Required<Target>,
  timings: SetpointTimings,
): Promise<Acknowledgement> {
  const setpoint = build(common.SetPositionTargetLocalNed, {
    ...channel.target,
    coordinateFrame: LOCAL_NED,
    typeMask: POSITION_ONLY,
    ...ned,
  });
  let reported: common.PositionTargetGlobalInt | undefined;
  let sent = false;
  const isLatest = commands.startOrder();
  try {
    for (let attempt = 0; attempt < timings.setpointAttempts; attempt++) {
      channel.assertOpen();
      if (!isLatest()) throw new DomainError("conflict", "Another order followed the one to move.");
      sent = channel.send(setpoint) || sent;
      const answer = await commands.fetch(common.PositionTargetGlobalInt, timings.targetMs);
      if (answer && isTarget(answer, target, origin)) {
        return { result: "TARGET_CONFIRMED", status_text: ["The vehicle reports this target."] };
      }
      reported = answer ?? reported;
    }
    channel.assertOpen();
  } catch (error) {
    throw sent && isNoResponse(error) ? orderUnanswered("move", error) : error;
  }
  if (!reported) {
    return {
      result: "TARGET_UNCONFIRMED",
      status_text: ["The setpoint was sent in guided mode; the vehicle does not report its target."],
    };
  }
  throw refusal("move", "setpoint not taken", [targetKept(reported)]);
}
