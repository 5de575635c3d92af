import { common } from "../vehicle/mavlink/messages";
import { checkFenceItem, keepFenceItem, readFence } from "./fence";
import type { Flight } from "./flight";
import { keepAsPx4, MissionResult, type PlanItem } from "./plan-item";
import { Severity } from "./reports";

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
  put(seq: number, item: PlanItem): MissionResult;
  /** The last item came: judge the whole. */
  finish(): MissionResult;
  abandon(): void;
  /** False while the plan is being flown. */
  clear(): boolean;
}

const uploads = new WeakMap<Flight, Map<number, PlanItem[]>>();

/** Items of an upload that counts only when it is whole. */
function incoming(flight: Flight, type: number): PlanItem[] {
  const ofFlight = uploads.get(flight) ?? new Map<number, PlanItem[]>();
  uploads.set(flight, ofFlight);
  const items = ofFlight.get(type) ?? [];
  ofFlight.set(type, items);
  return items;
}

/** The plan of a MAV_MISSION_TYPE, or undefined for one that this vehicle does not keep (rally points). */
export function planStore(flight: Flight, type: common.MavMissionType): StoredPlan | undefined {
  if (type === common.MavMissionType.FENCE) return fencePlan(flight);
  if (type !== common.MavMissionType.MISSION) return undefined;
  return flight.autopilot === "px4" ? px4Mission(flight) : ardupilotMission(flight);
}

/** ArduPilot writes each item over the old plan as it comes. */
function ardupilotMission(flight: Flight): StoredPlan {
  const { mission, run } = flight;
  return {
    type: common.MavMissionType.MISSION,
    name: "Mission",
    capacity: mission.capacity,
    count: mission.count,
    current: run.state === "running" ? run.seq : undefined,
    at: (seq) => (seq === 0 || seq < mission.count ? mission.at(seq) : undefined),
    begin: (count) => mission.truncate(count),
    put: (seq, item) => mission.put(seq, item),
    finish: () => {
      flight.reports.text(Severity.info, "Flight plan received");
      restart(flight);
      return MissionResult.accepted;
    },
    abandon: () => undefined,
    clear: () => {
      if (run.state === "running") return false;
      mission.clear();
      restart(flight);
      return true;
    },
  };
}

function px4Mission(flight: Flight): StoredPlan {
  const { mission, run } = flight;
  const items = incoming(flight, common.MavMissionType.MISSION);
  return {
    type: common.MavMissionType.MISSION,
    name: "Mission",
    capacity: mission.capacity,
    count: mission.count,
    current: mission.isEmpty ? undefined : run.seq,
    at: (seq) => mission.at(seq),
    begin: () => {
      items.length = 0;
    },
    put: (seq, item) => {
      const kept = keepAsPx4(item);
      if ("refused" in kept) return kept.refused;
      items[seq] = kept.item;
      return MissionResult.accepted;
    },
    finish: () => {
      mission.replace(items);
      items.length = 0;
      restart(flight);
      return MissionResult.accepted;
    },
    abandon: () => {
      items.length = 0;
    },
    clear: () => {
      mission.clear();
      restart(flight);
      return true;
    },
  };
}

function fencePlan(flight: Flight): StoredPlan {
  const items = incoming(flight, common.MavMissionType.FENCE);
  return {
    type: common.MavMissionType.FENCE,
    name: "Fence",
    capacity: 84,
    count: flight.fenceItems.length,
    current: undefined,
    at: (seq) => flight.fenceItems[seq],
    begin: () => {
      items.length = 0;
    },
    put: (seq, item) => {
      const result = checkFenceItem(item);
      if (result === MissionResult.accepted)
        items[seq] = flight.autopilot === "px4" ? item : keepFenceItem(item);
      return result;
    },
    finish: () => {
      const fence = readFence(items);
      if ("refused" in fence) {
        flight.reports.text(Severity.warning, fence.because);
        return fence.refused;
      }
      adopt(flight, [...items]);
      return MissionResult.accepted;
    },
    abandon: () => {
      items.length = 0;
    },
    clear: () => {
      adopt(flight, []);
      return true;
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

/** A new plan is flown from its start. */
function restart(flight: Flight): void {
  const { run, mission } = flight;
  flight.params.set("MIS_TOTAL", mission.count);
  if (run.state === "running" && !mission.isEmpty) return;
  run.state = "idle";
  run.seq = mission.firstSeq;
  run.jumps.clear();
}
