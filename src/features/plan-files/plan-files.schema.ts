import { z } from "zod";
import { Geofence } from "../geofences";
import { Mission } from "../missions";
import { PlanName } from "../plans";
import { FORMATS } from "./formats";

const LeftOut = z
  .object({
    at: z.string().describe('Item, line or placemark of the file: "item 7", "line 12".'),
    what: z.string(),
    why: z.string(),
  })
  .meta({ id: "LeftOut" });

const left_out = z
  .array(LeftOut)
  .describe("What the file has and was not stored, or was stored in another form. 201 entries at most.");

export const ImportedMission = z.object({ mission: Mission, left_out }).meta({ id: "ImportedMission" });

export const ImportedGeofences = z
  .object({ geofences: z.array(Geofence), left_out })
  .meta({ id: "ImportedGeofences" });

const format = z
  .enum(FORMATS)
  .optional()
  .describe("When absent, it is recognised from the content. A file of another format is refused.");

const name = (usual: string) =>
  PlanName.optional().describe(`When absent, the file's own name, or "${usual}".`);

export const IMPORTED_MISSION = "Imported mission";
export const IMPORTED_GEOFENCE = "Imported geofence";

/** Metres above home, as a float32 is sent. */
const Altitude = z
  .string()
  .regex(/^-?\d{1,6}(\.\d{1,6})?$/, "must be a number of metres")
  .transform(Number)
  .meta({ type: "number", pattern: undefined });

export const MissionImportQuery = z.object({
  format,
  name: name(IMPORTED_MISSION),
  altitude: Altitude.optional().describe(
    "Metres above home, for positions of KML and GeoJSON without a height. Without it they are refused.",
  ),
});
export type MissionImportQuery = z.output<typeof MissionImportQuery>;

export const GeofenceImportQuery = z.object({
  format,
  name: name(IMPORTED_GEOFENCE).describe(
    `When absent, the file's own name, or "${IMPORTED_GEOFENCE}". A second geofence of the file is called "<name> 2".`,
  ),
  fence_type: z
    .enum(["inclusion", "exclusion"])
    .default("exclusion")
    .describe("For shapes of which the file does not say it. exclusion when absent."),
});
export type GeofenceImportQuery = z.output<typeof GeofenceImportQuery>;

export const WRITTEN_FORMATS = ["plan", "waypoints", "kml", "geojson"] as const;

export const ExportQuery = z.object({
  format: z.enum(WRITTEN_FORMATS).default("plan").describe("plan when absent."),
});
