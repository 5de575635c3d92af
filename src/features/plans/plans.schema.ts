import { z } from "zod";

/** What a mission's waypoint and a geofence's vertex have in common, and the bodies that carry them. */

export const RowId = z.int().positive().max(2_147_483_647);

export const PlanName = z.string().min(1).max(200).describe("Unique among the caller's own.");

export const Latitude = z.number().min(-90).max(90).describe("Degrees, WGS 84.");
export const Longitude = z.number().min(-180).max(180).describe("Degrees, WGS 84.");
/** MAVLink carries an altitude as float32. */
export const Altitude = z.float32().describe("Metres, in the point's frame.");
export const Sequence = z.int32().describe("Points are ordered by it, then by id.");
/** A uint8 on the wire. */
export const Frame = z
  .int()
  .min(0)
  .max(255)
  .describe("MAV_FRAME: 0 is GLOBAL, 3 is GLOBAL_RELATIVE_ALT. 3 when absent.");
/** A uint16 on the wire. */
export const NavCommand = z.int().min(0).max(65_535);
/** A float32 on the wire. */
export const Param = z.float32().describe("MAVLink command parameter. 0 when absent.");

/** An array of which only the first element is read; what follows it is not even looked at. */
export const firstOf = <Point extends z.ZodType>(point: Point) =>
  z
    .preprocess((body) => (Array.isArray(body) ? body.slice(0, 1) : body), z.array(point).min(1))
    .transform((points) => points[0] as z.output<Point>);

/** Rows that are changed together or not at all: each an id and the columns to change. */
export const batchOf = <Shape extends z.ZodRawShape>(change: z.ZodObject<Shape>, id: string) =>
  z.array(change.extend({ id: RowId }).meta({ id }));
