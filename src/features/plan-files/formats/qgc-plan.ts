import { z } from "zod";
import { describeIssues } from "../../../http/validate";
import { PLAN_LIMITS } from "../../plans";
import { type FileItem, waypointOf, withJumps } from "./items";
import {
  type LeftOutList,
  type ReadGeofence,
  type ReadGeofences,
  type ReadMission,
  refuseFile,
} from "./plan-file";

/** QGroundControl's `.plan`. */

const GLOBAL_RELATIVE_ALT = 3;

const Items = z.array(z.unknown());
const PlanFile = z.object({
  fileType: z.literal("Plan"),
  mission: z.object({
    items: Items,
    plannedHomePosition: z.unknown().optional(),
    cruiseSpeed: z.unknown().optional(),
    hoverSpeed: z.unknown().optional(),
  }),
  geoFence: z
    .object({ polygons: Items.default([]), circles: Items.default([]), breachReturn: z.unknown().optional() })
    .optional(),
  rallyPoints: z.object({ points: Items.default([]) }).optional(),
});
type PlanFile = z.output<typeof PlanFile>;

const Param = z.number().nullable();
const SimpleItem = z.object({
  command: z.int(),
  frame: z.int(),
  params: z.array(Param).length(7),
  autoContinue: z.boolean().default(true),
  doJumpId: z.int().optional(),
});
/** QGroundControl 3.0 wrote the position apart. */
const OldPosition = z.object({ params: z.array(Param).length(4), coordinate: z.array(Param).length(3) });

const ComplexItem = z.object({
  complexItemType: z.string().max(40).default("unknown"),
  TransectStyleComplexItem: z.object({ Items: Items.optional() }).optional(),
});

const LatLng = z.array(z.number()).min(2);
const Polygon = z.object({ inclusion: z.boolean(), polygon: z.array(LatLng) });
const Circle = z.object({
  inclusion: z.boolean(),
  circle: z.object({ center: LatLng, radius: z.number() }),
});

/** Throws `invalid_input` with the item. */
export function readPlanMission(json: unknown, leftOut: LeftOutList): ReadMission {
  const plan = parsed(PlanFile, json, "file");
  const { mission } = plan;
  tellOfRest(plan, leftOut);
  if (mission.plannedHomePosition != null)
    leftOut.add("mission", "plannedHomePosition", "A drone has its own home.");
  for (const speed of ["cruiseSpeed", "hoverSpeed"] as const)
    if (mission[speed] != null)
      leftOut.add("mission", speed, "A mission has no speed of its own; command 178 sets one.");
  if (plan.geoFence && plan.geoFence.polygons.length + plan.geoFence.circles.length > 0)
    leftOut.add("geoFence", "geofences", "Import the file as geofences too.");
  const items = flatItems(mission.items, leftOut);
  const points = items.map((item) => waypointOf(item, leftOut));
  return { points: withJumps(points, placesOf(items)) };
}

interface PlanItem extends FileItem {
  readonly doJumpId: number | undefined;
}

/** The items as they are flown: those of a survey or a corridor stand in the file. */
function flatItems(items: readonly unknown[], leftOut: LeftOutList): PlanItem[] {
  const flat: PlanItem[] = [];
  items.forEach((item, index) => {
    const at = `item ${index + 1}`;
    if ((item as { type?: unknown } | null)?.type !== "ComplexItem") {
      flat.push(itemOf(item, at));
    } else {
      const { complexItemType: kind, TransectStyleComplexItem: transects } = parsed(ComplexItem, item, at);
      if (!transects?.Items?.length)
        leftOut.add(at, kind, "The file has its settings and no waypoints. The mission flies without it.");
      else leftOut.add(at, `${kind} settings`, "Its waypoints are stored, its area and camera are not.");
      (transects?.Items ?? []).slice(0, PLAN_LIMITS.pointsOfPlan + 1).forEach((nested, at2) => {
        flat.push(itemOf(nested, `${at}, waypoint ${at2 + 1}`));
      });
    }
    if (flat.length > PLAN_LIMITS.pointsOfPlan)
      refuseFile(at, `the mission has more than ${PLAN_LIMITS.pointsOfPlan} points`);
  });
  return flat;
}

function itemOf(item: unknown, at: string): PlanItem {
  let given = item;
  if ((item as { coordinate?: unknown } | null)?.coordinate !== undefined) {
    const { params, coordinate } = parsed(OldPosition, item, at);
    given = { ...(item as object), params: [...params, ...coordinate] };
  }
  const { autoContinue, ...rest } = parsed(SimpleItem, given, at);
  return { ...rest, at, is_current: false, autocontinue: autoContinue, doJumpId: rest.doJumpId };
}

/** The place of each `doJumpId`; NaN where several items have it. */
function placesOf(items: readonly PlanItem[]): Map<number, number> {
  const places = new Map<number, number>();
  items.forEach(({ doJumpId }, index) => {
    if (doJumpId !== undefined) places.set(doJumpId, places.has(doJumpId) ? Number.NaN : index + 1);
  });
  return places;
}

/** Throws `invalid_input` with the polygon or circle. */
export function readPlanFences(json: unknown, leftOut: LeftOutList): ReadGeofences {
  const plan = parsed(PlanFile, json, "file");
  const { polygons = [], circles = [], breachReturn } = plan.geoFence ?? {};
  tellOfRest(plan, leftOut);
  if (breachReturn != null) leftOut.add("geoFence", "breachReturn", "A geofence has no point to return to.");
  if (plan.mission.items.length > 0) leftOut.add("mission", "items", "Import the file as a mission too.");
  if (polygons.length + circles.length > PLAN_LIMITS.plans)
    refuseFile("geoFence", `has more than ${PLAN_LIMITS.plans} geofences`);
  return {
    geofences: [
      ...polygons.map((one, index) => polygonOf(one, `polygon ${index + 1}`)),
      ...circles.map((one, index) => circleOf(one, `circle ${index + 1}`)),
    ],
  };
}

function polygonOf(value: unknown, at: string): ReadGeofence {
  const { inclusion, polygon } = parsed(Polygon, value, at);
  return { at, type: "polygon", fence_type: fenceType(inclusion), points: polygon.map(vertexOf) };
}

function circleOf(value: unknown, at: string): ReadGeofence {
  const { inclusion, circle } = parsed(Circle, value, at);
  const points = [vertexOf(circle.center)];
  return { at, type: "circle", fence_type: fenceType(inclusion), radius: circle.radius, points };
}

const fenceType = (inclusion: boolean) => (inclusion ? "inclusion" : "exclusion");

const vertexOf = ([lat, lng]: readonly number[]) => ({
  lat: lat as number,
  lng: lng as number,
  frame: GLOBAL_RELATIVE_ALT,
});

function tellOfRest({ rallyPoints }: PlanFile, leftOut: LeftOutList): void {
  const count = rallyPoints?.points.length ?? 0;
  if (count > 0) leftOut.add("rallyPoints", `${count} rally points`, "They are not stored.");
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, at: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) refuseFile(at, describeIssues("it", result.error), result.error);
  return result.data;
}
