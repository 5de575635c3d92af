import { ids, type Route, route } from "../../http/route";
import { planRoute, planRoutes, serialized } from "../plans";
import {
  AllGeofencePoints,
  FirstGeofencePoint,
  Geofence,
  GeofenceChange,
  GeofencePoint,
  GeofencePointBatch,
  GeofencePointChange,
  NewGeofence,
  WholeGeofence,
} from "./geofences.schema";
import type { GeofenceService } from "./geofences.service";

const tag = "Geofences";
const params = ids("geofence_id");
const success = { status: 200, schema: Geofence, description: "The whole geofence." } as const;

export const geofenceRoutes = (geofences: GeofenceService): readonly Route[] => [
  ...planRoutes(geofences, {
    tag,
    word: "geofence",
    pointId: "point_id",
    plan: Geofence,
    newPlan: NewGeofence,
    wholePlan: WholeGeofence,
    point: GeofencePoint,
    firstPoint: FirstGeofencePoint,
    allPoints: AllGeofencePoints,
    pointChange: GeofencePointChange,
    pointBatch: GeofencePointBatch,
    changed: 200,
    create: { description: "Unknown keys are refused." },
  }),
  route({
    ...planRoute,
    tag,
    method: "patch",
    path: "/geofence/:geofence_id",
    summary: "Change a geofence's name, type, fence type or whether it is enabled",
    description: "Each key is optional. Unknown keys are refused.",
    params,
    body: GeofenceChange,
    success,
    handle: ({ params, body, caller }) => serialized(geofences.change(caller.id, params.geofence_id, body)),
  }),
  route({
    ...planRoute,
    tag,
    method: "patch",
    path: "/geofence/:geofence_id/toggle",
    summary: "Enable a disabled geofence, or disable an enabled one",
    params,
    success,
    handle: ({ params, caller }) => serialized(geofences.toggle(caller.id, params.geofence_id)),
  }),
];
