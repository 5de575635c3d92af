import { z } from "zod";
import { Text } from "../../http/route";
import { LABEL_LENGTH, PLAN_LIMITS } from "./plan-limits";

/** What waypoints and geofence vertices have in common, and the bodies that carry them. */

export const RowId = z.int().positive().max(2_147_483_647);

export const PlanName = Text.trim().min(1).max(200).describe("Unique among the caller's own.");

/** Labels of earlier releases may be longer: replies are not held to it. */
export const Label = Text.max(LABEL_LENGTH);

const Degrees = z.number().describe("Degrees, WGS 84. 0 in commands without a position.");
/** A float32 on the wire. */
const Param = z.float32().describe("MAVLink command parameter. 0 when absent.");

/** A uint16 on the wire. */
export const MavCmd = z.int().min(0).max(65_535);

/** The columns that points of both kinds share. */
export const pointColumns = {
  lat: Degrees.min(-90).max(90),
  lng: Degrees.min(-180).max(180),
  sequence: z.int32().describe("Points are ordered by it, then by id."),
  // A uint8 on the wire.
  frame: z.int().min(0).max(255).describe("MAV_FRAME: 0 is GLOBAL, 3 is GLOBAL_RELATIVE_ALT. 3 when absent."),
  param1: Param,
  param2: Param,
  param3: Param,
  param4: Param,
};

/** Columns that a new point may leave out. */
export const optionalColumns = {
  frame: true,
  param1: true,
  param2: true,
  param3: true,
  param4: true,
} as const;

/** An array of which only the first element is read. The rest is not even validated. */
export const firstOf = <Point extends z.ZodType>(point: Point) =>
  z
    .preprocess((body) => (Array.isArray(body) ? body.slice(0, 1) : body), z.array(point).min(1))
    .transform((points) => points[0] as z.output<Point>);

/** All points of a plan, in the order of the array where they have no `sequence`. Too long an array is not validated. */
export const allOf = <Point extends z.ZodType<{ sequence?: number | undefined }>>(point: Point) =>
  z.preprocess(
    (body) => (Array.isArray(body) ? body.slice(0, PLAN_LIMITS.pointsOfPlan + 1) : body),
    z
      .array(point)
      .max(PLAN_LIMITS.pointsOfPlan)
      .transform((points) => points.map((one, index) => ({ sequence: index + 1, ...one }))),
  );

/** Rows that are changed together or not at all: each an id and the columns to change. Too long a batch is not validated. */
export const batchOf = <Shape extends z.ZodRawShape>(change: z.ZodObject<Shape>, id: string) =>
  z.preprocess(
    (body) => (Array.isArray(body) ? body.slice(0, PLAN_LIMITS.pointsOfPlan + 1) : body),
    z.array(change.extend({ id: RowId }).meta({ id })).max(PLAN_LIMITS.pointsOfPlan),
  );
