import type { PlanPoint } from "../../map/layers/plan-layer";
import type { FlownPlan } from "./flight-data";

/** MAV_CMDs that a vehicle flies to the position of: waypoint, loiters, land, takeoff, and their like. */
const FLOWN_TO: ReadonlySet<number> = new Set([16, 17, 18, 19, 21, 22, 31, 82, 84, 85, 94]);

/** The items that the vehicle flies to, by their numbers on board. A landing where it is has no position. */
export const planPoints = (plan: FlownPlan | undefined): PlanPoint[] =>
  (plan?.items ?? []).flatMap(({ command, lat, lng }, at) =>
    FLOWN_TO.has(command) && (lat !== 0 || lng !== 0) ? [{ lat, lng, label: String(at + 1) }] : [],
  );
