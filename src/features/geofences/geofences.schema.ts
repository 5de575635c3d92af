import { z } from "zod";
import {
  batchOf,
  Frame,
  firstOf,
  Latitude,
  Longitude,
  NavCommand,
  Param,
  PlanName,
  RowId,
  Sequence,
} from "../plans";

const pointColumns = {
  lat: Latitude,
  lng: Longitude,
  sequence: Sequence,
  command: NavCommand.describe("Replaced by the code of the geofence's kind when it is uploaded."),
  frame: Frame,
  param1: Param.describe(
    "A polygon's number of vertices, or a circle's radius in metres; computed anew at upload. 0 when absent.",
  ),
  param2: Param,
  param3: Param,
  param4: Param,
};

const withDefault = { frame: true, param1: true, param2: true, param3: true, param4: true } as const;

export const geofencePointColumns = Object.keys(pointColumns);

export const GeofencePoint = z
  .object({ id: RowId, geofence_id: RowId, ...pointColumns })
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

const NewPoint = z
  .strictObject({ geofence_id: RowId, ...pointColumns })
  .partial(withDefault)
  .meta({ id: "NewGeofencePoint" });
export const FirstGeofencePoint = firstOf(NewPoint);

const PointChange = z.strictObject(pointColumns).partial();
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
