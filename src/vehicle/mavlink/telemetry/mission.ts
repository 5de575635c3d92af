import { distance } from "../../../domain/geo";
import type { VehicleIdentity } from "../../link";
import type { MissionProgress, TelemetryMessage } from "../../telemetry-messages";
import { common } from "../wire/messages";

const { MissionState } = common;
const states: Readonly<Partial<Record<common.MissionState, MissionProgress["state"]>>> = {
  [MissionState.NO_MISSION]: "none",
  [MissionState.NOT_STARTED]: "not_started",
  [MissionState.ACTIVE]: "flying",
  [MissionState.PAUSED]: "paused",
  [MissionState.COMPLETE]: "complete",
};
/** MISSION_CURRENT.total of a vehicle without a mission, and of one that does not say. */
const NO_ITEMS = 0xffff;
const NOT_SAID = 0;

/** MISSION_CURRENT. ArduPilot's item 0 is home, and not counted. */
export function missionProgress(
  { seq, total, missionState }: common.MissionCurrent,
  { autopilot }: Pick<VehicleIdentity, "autopilot">,
): Pick<MissionProgress, "item" | "items" | "state"> {
  const state = total === NO_ITEMS ? "none" : (states[missionState] ?? "unknown");
  if (state === "none") return { item: null, items: 0, state };
  const item = autopilot === "px4" ? seq + 1 : Math.max(1, seq);
  return { item, items: total === NOT_SAID ? null : total, state };
}

/** With the metres to the current item where they are known: those of a vehicle that flies its mission. */
export function toMission(
  message: common.MissionCurrent,
  vehicle: Pick<VehicleIdentity, "autopilot">,
  metres: number | undefined,
  mode: string,
  writes: number,
): TelemetryMessage {
  const { item, items, state } = missionProgress(message, vehicle);
  // PX4 1.16 says no state.
  const isFlown = state === "flying" || (state === "unknown" && mode === "AUTO.MISSION");
  const distance = isFlown ? (metres ?? null) : null;
  return { type: "mission", data: { item, items, distance, state, writes } };
}

/** Metres from a position to the one that PX4 is flying to. */
export const toTarget = (
  { lat, lon }: common.GlobalPositionInt,
  { latInt, lonInt }: common.PositionTargetGlobalInt,
): number => distance({ lat: lat / 1e7, lng: lon / 1e7 }, { lat: latInt / 1e7, lng: lonInt / 1e7 });
