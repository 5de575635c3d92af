import type { VehicleIdentity } from "../link";
import type { Frame } from "./wire/frame";
import type { minimal } from "./wire/messages";

/** MAV_AUTOPILOT. */
const AUTOPILOTS: Readonly<Record<number, VehicleIdentity["autopilot"]>> = { 3: "ardupilot", 12: "px4" };
const AUTOPILOT_INVALID = 8;

/** MAV_TYPE: every multirotor and helicopter is flown as a copter, wheels and boats as a rover. */
const KINDS: Readonly<Record<number, VehicleIdentity["kind"]>> = {
  2: "copter",
  3: "copter",
  4: "copter",
  10: "rover",
  11: "rover",
  13: "copter",
  14: "copter",
  15: "copter",
  29: "copter",
  35: "copter",
  43: "copter",
};
const TYPE_GENERIC = 0;
const TYPE_GCS = 6;

type HeartbeatSender =
  | { readonly is: "vehicle"; readonly identity: VehicleIdentity }
  /** A vehicle that we cannot fly, or not yet: `why` is for people. */
  | { readonly is: "unsupported"; readonly why: string }
  /** A ground station, gimbal, camera or other component. */
  | { readonly is: "other" };

/** Other components send MAV_AUTOPILOT_INVALID; a vehicle may have any system id. */
export function identifySender(heartbeat: minimal.Heartbeat, frame: Frame): HeartbeatSender {
  if (heartbeat.autopilot === AUTOPILOT_INVALID || heartbeat.type === TYPE_GCS) return { is: "other" };
  const autopilot = AUTOPILOTS[heartbeat.autopilot];
  if (!autopilot) {
    return { is: "unsupported", why: `it runs an autopilot of MAV_AUTOPILOT ${heartbeat.autopilot}` };
  }
  const kind = KINDS[heartbeat.type];
  if (!kind) {
    return {
      is: "unsupported",
      why:
        heartbeat.type === TYPE_GENERIC
          ? "its autopilot has no frame set up yet"
          : `it is a vehicle of MAV_TYPE ${heartbeat.type}`,
    };
  }
  return {
    is: "vehicle",
    identity: { autopilot, kind, systemId: frame.systemId, componentId: frame.componentId },
  };
}
