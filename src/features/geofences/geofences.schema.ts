import { z } from "zod";
import { allOf, batchOf, firstOf, MavCmd, optionalColumns, PlanName, pointColumns, RowId } from "../plans";

const columns = {
  ...pointColumns,
  command: MavCmd.describe(
    "Required. Send 5001: an upload sends the code of the geofence's kind (5001 to 5004) in its place.",
  ),
  param1: pointColumns.param1.describe(
    "A polygon's number of vertices, or a circle's radius in metres; computed anew at upload. 0 when absent.",
  ),
};

export const geofencePointColumns = Object.keys(columns);

export const GeofencePoint = z
  .object({ id: RowId, geofence_id: RowId, ...columns })
  .meta({ id: "GeofencePoint" });
export type GeofencePoint = z.output<typeof GeofencePoint>;

const geofenceFields = {
  name: PlanName,
  type: z.enum(["polygon", "circle"]),
  fence_type: z
    .enum(["inclusion", "exclusion"])
    .describe("Whether the vehicle is kept inside or outside. exclusion when absent."),
  enabled: z.boolean().describe("Only enabled geofences go to the vehicle together. true when absent."),
};

export const Geofence = z
  .object({ id: RowId, ...geofenceFields, geofence_points: z.array(GeofencePoint).describe("In order.") })
  .meta({ id: "Geofence" });
export type Geofence = z.output<typeof Geofence>;

// Strict, because a mistyped `fence_type` would make an exclusion of what was meant to keep a vehicle in.
const geofenceColumns = z.strictObject(geofenceFields);
export const NewGeofence = geofenceColumns
  .partial({ fence_type: true, enabled: true })
  .meta({ id: "NewGeofence" });
export const GeofenceChange = geofenceColumns.partial().meta({ id: "GeofenceChange" });
export type GeofenceChange = z.output<typeof GeofenceChange>;

const newPoint = z.strictObject(columns).partial(optionalColumns);
const NewPoint = newPoint.extend({ geofence_id: RowId }).meta({ id: "NewGeofencePoint" });
export const FirstGeofencePoint = firstOf(NewPoint);
export const AllGeofencePoints = allOf(newPoint.partial({ sequence: true }).meta({ id: "PointOfGeofence" }));
export const WholeGeofence = geofenceColumns
  .extend({ geofence_points: AllGeofencePoints })
  .meta({ id: "WholeGeofence" });

const PointChange = z.strictObject(columns).partial();
export const GeofencePointChange = PointChange.meta({ id: "GeofencePointChange" });
export const GeofencePointBatch = batchOf(PointChange, "GeofencePointBatchRow");

/** The types that a plan of this kind is made of. */
export interface GeofenceKind {
  readonly plan: Geofence;
  readonly newPlan: z.output<typeof NewGeofence>;
  readonly point: GeofencePoint;
  readonly newPoint: z.output<typeof NewPoint>;
  readonly pointChange: z.output<typeof PointChange>;
}
