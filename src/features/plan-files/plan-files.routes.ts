import type { Context } from "koa";
import { z } from "zod";
import { ids, type Route, route } from "../../http/route";
import { BATCH_BYTES, serialized } from "../plans";
import {
  ExportQuery,
  GeofenceImportQuery,
  ImportedGeofences,
  ImportedMission,
  MissionImportQuery,
  type WRITTEN_FORMATS,
} from "./plan-files.schema";
import type { PlanDownload, PlanFiles } from "./plan-files.service";

const MEDIA_TYPES: Readonly<Record<(typeof WRITTEN_FORMATS)[number], string>> = {
  plan: "application/json",
  waypoints: "text/plain; charset=utf-8",
  kml: "application/vnd.google-earth.kml+xml",
  geojson: "application/geo+json",
};

const importRoute = {
  method: "post",
  guard: "user",
  envelope: "B",
  rawBody: {
    mediaType: "application/octet-stream",
    description:
      "The file itself: QGroundControl `.plan`, Mission Planner `.waypoints` (`QGC WPL 110`), KML, KMZ or GeoJSON, in UTF-8. Any content type is taken.",
  },
  bodyLimitBytes: BATCH_BYTES,
  // A name that is taken.
  errors: { constraint_violated: 400 },
  documents: {
    400: "The file is not one of these, or a value in it does not fit; the message names item or line.",
  },
} as const;

const exportRoute = {
  method: "get",
  guard: "user",
  envelope: "raw",
  query: ExportQuery,
  success: {
    status: 200,
    schema: z.string(),
    description: "The file.",
    mediaTypes: Object.values(MEDIA_TYPES).map((type) => type.replace(/;.*/, "")),
    headers: {
      "Content-Disposition": "The file's name, made of the plan's.",
      "X-Left-Out": "Fields that the format cannot say, between commas. Absent when it says all.",
    },
  },
} as const;

function send(
  ctx: Context,
  format: keyof typeof MEDIA_TYPES,
  { fileName, text, leftOut }: PlanDownload,
): void {
  // Readers of RFC 5987 get the name itself.
  ctx.attachment(fileName, { fallback: fileName.replaceAll(/[^\x20-\x7e]/g, "_") });
  ctx.body = text;
  ctx.set("Content-Type", MEDIA_TYPES[format]);
  if (leftOut.length > 0) ctx.set("X-Left-Out", leftOut.join(", "));
}

export const planFileRoutes = (files: PlanFiles): readonly Route[] => [
  route({
    ...importRoute,
    tag: "Missions",
    path: "/missions/import",
    summary: "Store a mission from a file",
    description:
      "Rows get their `sequence` from 1. In KML and GeoJSON each Point, and each position of a LineString, is a row, a waypoint unless its properties (KML: ExtendedData) say otherwise: `command`, `frame`, `param1` to `param4`, `type`, `is_current`, `autocontinue`, as an export writes them. A feature's name is the row's label.",
    query: MissionImportQuery,
    success: {
      status: 201,
      schema: ImportedMission,
      description: "The mission, and what of the file it has not.",
    },
    handle: ({ caller, rawBody, query }) => serialized(files.importMission(caller.id, rawBody, query)),
  }),
  route({
    ...importRoute,
    tag: "Geofences",
    path: "/geofences/import",
    summary: "Store the geofences of a file, all or none",
    query: GeofenceImportQuery,
    success: {
      status: 201,
      schema: ImportedGeofences,
      description: "The geofences, and what of the file they have not.",
    },
    handle: ({ caller, rawBody, query }) => serialized(files.importGeofences(caller.id, rawBody, query)),
  }),
  route({
    ...exportRoute,
    tag: "Missions",
    path: "/mission/:mission_id/export",
    summary: "Download a mission as a file",
    params: ids("mission_id"),
    handle: async ({ caller, params, query, ctx }) =>
      send(ctx, query.format, await files.exportMission(caller.id, params.mission_id, query.format)),
  }),
  route({
    ...exportRoute,
    tag: "Geofences",
    path: "/geofence/:geofence_id/export",
    summary: "Download a geofence as a file",
    params: ids("geofence_id"),
    handle: async ({ caller, params, query, ctx }) =>
      send(ctx, query.format, await files.exportGeofence(caller.id, params.geofence_id, query.format)),
  }),
];
