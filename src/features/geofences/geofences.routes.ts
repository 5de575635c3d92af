import { ids, Message, type Route, route, SerializedJson } from "../../http/route";
import { BATCH_BYTES } from "../plans";
import {
  FirstGeofencePoint,
  Geofence,
  GeofenceChange,
  GeofencePoint,
  GeofencePointBatch,
  GeofencePointChange,
  NewGeofence,
} from "./geofences.schema";
import type { GeofenceService } from "./geofences.service";

/** What every route here shares. The contract answers input that does not fit with 500. */
const common = { tag: "Geofences", guard: "user", envelope: "B", invalidInput: 500 } as const;

const geofenceId = ids("geofence_id");
const pointId = ids("point_id");
const wholeGeofence = { status: 200, schema: Geofence, description: "The whole geofence." } as const;

const serialized = async (json: Promise<string>) => new SerializedJson(await json);

export function geofenceRoutes(geofences: GeofenceService): readonly Route[] {
  return [
    route({
      ...common,
      method: "post",
      path: "/geofence",
      summary: "Create a geofence without points",
      description: "Unknown keys are refused.",
      body: NewGeofence,
      success: { status: 201, schema: Geofence, description: "The geofence, without points." },
      handle: ({ body, caller }) => serialized(geofences.create(caller.id, body)),
    }),
    route({
      ...common,
      method: "get",
      path: "/geofences",
      summary: "List the caller's geofences with their points",
      success: { status: 200, schema: Geofence.array() },
      handle: ({ caller }) => serialized(geofences.listJson(caller.id)),
    }),
    route({
      ...common,
      method: "get",
      path: "/geofence/:geofence_id",
      summary: "Read a geofence with its points",
      params: geofenceId,
      success: wholeGeofence,
      handle: ({ params, caller }) => serialized(geofences.getJson(caller.id, params.geofence_id)),
    }),
    route({
      ...common,
      method: "patch",
      path: "/geofence/:geofence_id",
      summary: "Change a geofence's name, type, fence type or whether it is enabled",
      description: "Each key is optional. Unknown keys are refused.",
      params: geofenceId,
      body: GeofenceChange,
      success: wholeGeofence,
      handle: ({ params, body, caller }) => serialized(geofences.change(caller.id, params.geofence_id, body)),
    }),
    route({
      ...common,
      method: "patch",
      path: "/geofence/:geofence_id/toggle",
      summary: "Enable a disabled geofence, or disable an enabled one",
      params: geofenceId,
      success: wholeGeofence,
      handle: ({ params, caller }) => serialized(geofences.toggle(caller.id, params.geofence_id)),
    }),
    route({
      ...common,
      method: "delete",
      path: "/geofence/:geofence_id",
      summary: "Delete a geofence with its points",
      params: geofenceId,
      success: { status: 200, schema: Message },
      handle: async ({ params, caller }) => {
        await geofences.remove(caller.id, params.geofence_id);
        return { message: "The geofence was deleted." };
      },
    }),
    route({
      ...common,
      method: "post",
      path: "/geofence/point",
      summary: "Add one point to a geofence",
      description: "The body is an array of which only the first element is read. Unknown keys are refused.",
      body: FirstGeofencePoint,
      success: { ...wholeGeofence, status: 201 },
      documents: { 404: "The caller has no geofence with this `geofence_id`." },
      handle: ({ body: point, caller }) =>
        serialized(geofences.addPoint(caller.id, point.geofence_id, point)),
    }),
    route({
      ...common,
      method: "get",
      path: "/geofence/point/:point_id",
      summary: "Read one point",
      params: pointId,
      success: { status: 200, schema: GeofencePoint },
      handle: ({ params, caller }) => geofences.getPoint(caller.id, params.point_id),
    }),
    route({
      ...common,
      method: "patch",
      path: "/geofence/point/:point_id",
      summary: "Change some fields of one point",
      description: "Any column but the id and the geofence's id. Unknown keys are refused.",
      params: pointId,
      body: GeofencePointChange,
      success: wholeGeofence,
      handle: ({ params, body, caller }) =>
        serialized(geofences.changePoint(caller.id, params.point_id, body)),
    }),
    route({
      ...common,
      method: "delete",
      path: "/geofence/point/:point_id",
      summary: "Delete one point",
      params: pointId,
      success: wholeGeofence,
      handle: ({ params, caller }) => serialized(geofences.removePoint(caller.id, params.point_id)),
    }),
    route({
      ...common,
      method: "patch",
      path: "/geofence/:geofence_id/points",
      summary: "Change several points of a geofence, all or none",
      description:
        "Each row names a point by `id` and the columns to change. An unknown key, a value that does not fit, or a point that is not this geofence's fails the whole batch with 500, and nothing is changed.",
      params: geofenceId,
      body: GeofencePointBatch,
      bodyLimitBytes: BATCH_BYTES,
      success: wholeGeofence,
      handle: ({ params, body, caller }) =>
        serialized(geofences.changePoints(caller.id, params.geofence_id, body)),
    }),
  ];
}
