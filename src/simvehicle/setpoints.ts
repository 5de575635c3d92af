import { common } from "../vehicle/mavlink/wire/messages";
import type { Flight } from "./flight";
import { breaksFence } from "./safety/fence";

/** POSITION_TARGET_TYPEMASK: the position is to be ignored. */
const IGNORE_POSITION = 0x7;

/** The position of a SET_POSITION_TARGET_LOCAL_NED, from the origin: obeyed by ArduPilot in GUIDED only, and never answered. */
export function localSetpoint(flight: Flight, message: common.SetPositionTargetLocalNed): void {
  const { coordinateFrame, typeMask, x: n, y: e, z: d } = message;
  if (flight.autopilot === "px4" || flight.mode.behaviour !== "guided") return;
  if (coordinateFrame !== common.MavFrame.LOCAL_NED || (typeMask & IGNORE_POSITION) !== 0) return;
  if (![n, e, d].every(Number.isFinite)) return;
  if (flight.fenceEnabled && breaksFence(flight, flight.globalOf({ n, e, d }))) return;
  flight.guided = { kind: "position", n, e, d };
}
