import { type Comparison, isHeld } from "../../../domain/compare-plans";
import type { MissionItem } from "../../../domain/mission-item";
import type { GeoPosition } from "../state";
import { PlanType } from "./plan-protocol";
import { acceptable, compareFences, compareMissions } from "./stored-item.plan";
import {
  type Autopilot,
  fromWire,
  missionFromWire,
  type WireItem,
  wireFence,
  wireMission,
} from "./wire-item.plan";

/** What missions and fences differ in. */
export interface PlanKind {
  readonly name: "mission" | "fence";
  readonly type: PlanType;
  /** Items that the vehicle itself keeps before a plan. */
  readonly ownItems: number;
  readonly toWire: (plan: readonly MissionItem[]) => WireItem[];
  readonly fromWire: (items: readonly WireItem[]) => MissionItem[];
  readonly compare: (sent: readonly MissionItem[], kept: readonly MissionItem[]) => Comparison;
}

/** `home` is the vehicle's, once it has told it. */
export const missionKind = (autopilot: Autopilot, home: () => GeoPosition | undefined): PlanKind => ({
  name: "mission",
  type: PlanType.mission,
  ownItems: autopilot === "ardupilot" ? 1 : 0,
  toWire: (plan) => wireMission(acceptable(plan, autopilot), autopilot, home() ?? positionOf(plan[0])),
  fromWire: (items) => missionFromWire(items, autopilot),
  compare: (sent, kept) => compareMissions(sent, kept, autopilot),
});

export const fenceKind: PlanKind = {
  name: "fence",
  type: PlanType.fence,
  ownItems: 0,
  toWire: wireFence,
  fromWire: (items) => items.map(fromWire),
  compare: compareFences,
};

export const isSame = (
  { compare }: PlanKind,
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
): boolean => isHeld(compare(sent, kept));

/**
 * Whether the plan is one that an upload to ArduPilot leaves when it breaks off: ArduPilot cuts the plan to the new
 * length, and then stores each item that comes over the old one.
 */
export function isMixture(
  kind: PlanKind,
  before: readonly MissionItem[],
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
): boolean {
  const isAt = (plan: readonly MissionItem[], at: number): boolean =>
    isSame(kind, plan.slice(at, at + 1), kept.slice(at, at + 1));
  let come = 0;
  while (come < kept.length && isAt(sent, come)) come += 1;
  const length = Math.max(come, Math.min(before.length, sent.length));
  return kept.length === length && kept.every((_, at) => at < come || isAt(before, at));
}

const positionOf = (item: MissionItem | undefined): GeoPosition => ({
  lat: item?.x_lat ?? 0,
  lng: item?.y_long ?? 0,
  altitude: 0,
});
