import type { VehicleIdentity } from "../../link";
import type { NewestState, StateFollower } from "../../newest-state";
import type { VehicleState } from "../state";
import type { Channel } from "../wire/channel";
import { common, minimal } from "../wire/messages";
import { missionProgress } from "./mission";
import { batteryVoltage, percentLeft } from "./system";

/** GLOBAL_POSITION_INT.hdg of a vehicle that does not know where its nose points. */
const NO_HEADING = 0xffff;
/** Followers are asked once a second. */
const EVERY_MS = 500;

/** Tells the follower what the vehicle says of itself by itself: nothing is requested for it. */
export function reportState(
  follower: StateFollower,
  channel: Channel,
  state: VehicleState,
  vehicle: VehicleIdentity,
): void {
  const heartbeat = () => follower.said({ armed: state.armed, mode: state.mode });
  heartbeat();
  channel.on(minimal.Heartbeat, heartbeat);
  const place = (message: common.GlobalPositionInt) => {
    const position = toPosition(message);
    if (position) follower.said({ position });
  };
  channel.on(common.GlobalPositionInt, place, EVERY_MS);
  const power = (status: common.SysStatus) => {
    const battery = { voltage: batteryVoltage(status.voltageBattery), remaining: percentLeft(status) };
    follower.said({ battery });
  };
  channel.on(common.SysStatus, power, EVERY_MS);
  const progress = (message: common.MissionCurrent) =>
    follower.said({ mission: missionProgress(message, vehicle) });
  channel.on(common.MissionCurrent, progress, EVERY_MS);
  channel.onClose(() => follower.closed());
}

/** Degrees × 1e7, millimetres, hundredths of a degree. Undefined at 0,0, where an estimator has no position yet. */
function toPosition(message: common.GlobalPositionInt): NewestState["position"] {
  const { lat, lon, alt, relativeAlt, hdg } = message;
  if (lat === 0 && lon === 0) return undefined;
  return {
    latitude: lat / 1e7,
    longitude: lon / 1e7,
    altitude: alt / 1000,
    relative_altitude: relativeAlt / 1000,
    heading: hdg === NO_HEADING ? null : hdg / 100,
  };
}
