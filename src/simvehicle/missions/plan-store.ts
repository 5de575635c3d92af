import { common } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { rewindMission } from "../modes/auto";
import { Severity } from "../reports";
import { breaksFence, checkFenceItem, keepFenceItem, positionOf, readFence } from "../safety/fence";
import { Command, MissionResult, type PlanItem, storedByPx4 } from "./plan-item";

/** One of the plans a vehicle keeps, as the mission protocol sees it. */
export interface StoredPlan {
  readonly type: common.MavMissionType;
  readonly name: string;
  readonly capacity: number;
  readonly count: number;
  /** The item now being carried out. */
  readonly current: number | undefined;
  at(seq: number): PlanItem | undefined;
  /** An upload of so many items begins. */
  begin(count: number): void;
  /** One item of an upload: `incoming` gathers those that count only when the upload is whole. */
  put(seq: number, item: PlanItem, incoming: PlanItem[]): MissionResult;
  /** The last item came: judge the whole. */
  finish(incoming: readonly PlanItem[]): MissionResult;
  /** False while the plan is being flown. */
  clear(): boolean;
  /** What PX4 says of a plan a while after it took it. */
  review(): void;
}

/** The plan of a MAV_MISSION_TYPE, or undefined for a type that no vehicle keeps. */
export function planStore(flight: Flight, type: common.MavMissionType): StoredPlan | undefined {
  const { MavMissionType } = common;
  if (type === MavMissionType.FENCE) return fencePlan(flight);
  if (type !== MavMissionType.MISSION) return undefined;
  return flight.autopilot === "px4" ? px4Mission(flight) : ardupilotMission(flight);
}

const missionOf = ({ mission: { capacity, count } }: Flight) =>
  ({ type: common.MavMissionType.MISSION, name: "Mission", capacity, count }) as const;

/** ArduPilot writes each item over the old plan as it comes. */
function ardupilotMission(flight: Flight): StoredPlan {
  const { mission, run } = flight;
  return {
    ...missionOf(flight),
    current: run.state === "running" ? run.seq : undefined,
    at: (seq) => (seq === 0 || seq < mission.count ? mission.at(seq) : undefined),
    begin: (count) => mission.truncate(count),
    put: (seq, item) => mission.put(seq, item),
    finish: () => {
      flight.reports.text(Severity.INFO, "Flight plan received");
      countMission(flight);
      return MissionResult.ACCEPTED;
    },
    clear: () => {
      if (run.state === "running") return false;
      mission.replace([]);
      rewind(flight);
      return true;
    },
    review: nothing,
  };
}

function px4Mission(flight: Flight): StoredPlan {
  const { mission, run } = flight;
  return {
    ...missionOf(flight),
    current: mission.isEmpty ? undefined : run.seq,
    at: (seq) => mission.at(seq),
    begin: nothing,
    put: (seq, item, incoming) => {
      const kept = storedByPx4(item);
      if ("refused" in kept) return kept.refused;
      incoming[seq] = kept.item;
      return MissionResult.ACCEPTED;
    },
    finish: (incoming) => {
      mission.replace(incoming);
      countMission(flight);
      // PX4 goes on in the new plan at the number that it had in the old one.
      run.seq = Math.min(run.seq, mission.count - 1);
      if (run.state === "complete") run.state = "idle";
      return MissionResult.ACCEPTED;
    },
    clear: () => {
      mission.replace([]);
      rewind(flight);
      return true;
    },
    review: () => {
      const seq = firstOutsideFence(flight);
      if (seq !== undefined)
        flight.reports.text(Severity.CRITICAL, `Geofence violation for waypoint ${seq + 1}\t`);
    },
  };
}

/** Commands that PX4 flies to a position for. */
const FLOWN_TO: ReadonlySet<number> = new Set([
  Command.NAV_WAYPOINT,
  Command.NAV_LOITER_UNLIM,
  Command.NAV_LOITER_TIME,
  Command.NAV_LAND,
  Command.NAV_TAKEOFF,
  Command.NAV_LOITER_TO_ALT,
]);

/** The number of the mission's first position that the fence forbids. */
function firstOutsideFence(flight: Flight): number | undefined {
  const { mission } = flight;
  for (let seq = 0; seq < mission.count; seq++) {
    const item = mission.at(seq);
    const isThere = item && FLOWN_TO.has(item.command) && (item.x !== 0 || item.y !== 0);
    if (isThere && breaksFence(flight, positionOf(item))) return seq;
  }
  return undefined;
}

function fencePlan(flight: Flight): StoredPlan {
  return {
    type: common.MavMissionType.FENCE,
    name: "Fence",
    capacity: 84,
    count: flight.fenceItems.length,
    current: undefined,
    at: (seq) => flight.fenceItems[seq],
    begin: nothing,
    put: (seq, item, incoming) => {
      if (flight.autopilot === "px4" && item.param2 !== 0) return MissionResult.INVALID_PARAM2;
      const result = checkFenceItem(item);
      if (result === MissionResult.ACCEPTED)
        incoming[seq] = flight.autopilot === "px4" ? item : keepFenceItem(item);
      return result;
    },
    finish: (incoming) => {
      const fence = readFence(incoming);
      if ("refused" in fence) {
        flight.reports.text(Severity.WARNING, fence.because);
        return fence.refused;
      }
      adopt(flight, [...incoming]);
      return MissionResult.ACCEPTED;
    },
    clear: () => {
      adopt(flight, []);
      return true;
    },
    review: () => {
      if (flight.autopilot !== "px4" || !breaksFence(flight, flight.home)) return;
      // The fence stays on board, and is not acted on.
      flight.fence = [];
      flight.reports.text(Severity.CRITICAL, "Geofence invalid, doesn't contain Home position\t");
    },
  };
}

function adopt(flight: Flight, items: readonly PlanItem[]): void {
  const fence = readFence(items);
  if (!("shapes" in fence)) return;
  flight.fenceItems = items;
  flight.fence = fence.shapes;
  flight.params.set("FENCE_TOTAL", items.length);
}

const nothing = (): void => undefined;

/**
 * ArduPilot goes on, in a plan that was exchanged in flight, at the number where it left the old one: only a
 * clear, a disarm or a new current item starts it afresh.
 */
function countMission({ params, mission }: Flight): void {
  params.set("MIS_TOTAL", mission.count);
}

function rewind(flight: Flight): void {
  countMission(flight);
  rewindMission(flight);
}
