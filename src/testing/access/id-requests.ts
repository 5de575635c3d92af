import { type Operation, pathOf, type Schema, sample } from "../spec-requests";
import type { ObjectKind, UserObjects } from "./user-objects";

/** The kind of object that an id names, by the id's key. The test of all routes fails on an id that is not listed. */
const kinds: Readonly<Record<string, ObjectKind | "nothing of anybody's">> = {
  drone_id: "drone",
  vehicle_id: "drone",
  room_number: "drone",
  mission_id: "mission",
  missionId: "mission",
  mission_point_id: "missionPoint",
  geofence_id: "geofence",
  point_id: "geofencePoint",
  execution_id: "execution",
  asset_id: "asset",
  ids: "asset",
  event_id: "event",
  motor_id: "nothing of anybody's",
};

/** The same for ids whose key is `id`, by route. */
const plainIds: Readonly<Record<string, ObjectKind>> = {
  "GET /drone/action/connection": "drone",
  "DELETE /drone/action/connection": "drone",
  "PATCH /mission/:mission_id/points": "missionPoint",
  "PATCH /geofence/:geofence_id/points": "geofencePoint",
};

/**
 * Text keys by which no object of another user is found: values to store, secrets, and names of the caller's own. The
 * test of all routes fails on a text key that is not listed.
 */
const findNothing: ReadonlySet<string> = new Set([
  ...[
    "all",
    "asset_type",
    "checksum",
    "command",
    "custom_mode",
    "description",
    "email",
    "end",
    "extra_emails",
  ],
  ...[
    "fence_type",
    "file_name",
    "format",
    "frame",
    "geofence_points",
    "If-Match",
    "label",
    "limit",
    "link",
    "link_host",
    "mime_type",
    "mission_points",
    "mode_info",
  ],
  ...["name", "notes", "occurrence_time", "offset", "param_id", "params", "password", "port"],
  ...["recurrence_rule", "scheduled_time", "sdp", "sequence", "size", "source", "start", "status", "title"],
  ...["token", "type", "update", "username", "vehicle_count", "vehicle_type", "viewer"],
]);

/** The status of a request with another user's id, where it is not 404. A listing is 200 and has none of their rows. */
export const expectedStatuses: Readonly<Record<string, number>> = {
  "GET /drone/action/connection id": 400,
  "DELETE /drone/action/connection id": 400,
  "GET /drones/mission missionId": 201,
  "GET /calendar/events drone_id": 200,
  "POST /assets/:vehicle_id/delete ids": 200,
  "POST /video_room room_number": 400,
  "PATCH /mission/:mission_id/points id": 500,
  "PATCH /geofence/:geofence_id/points id": 500,
  "GET /assets/:vehicle_id vehicle_id": 403,
  "GET /assets/video/:vehicle_id vehicle_id": 403,
  "GET /assets/:vehicle_id/video/:asset_id vehicle_id": 403,
  "GET /assets/:vehicle_id/download/:asset_id vehicle_id": 403,
  "POST /assets/:vehicle_id/delete vehicle_id": 403,
  "GET /executions/vehicle/:drone_id drone_id": 403,
  "POST /executions/:execution_id/complete execution_id": 403,
  "POST /executions/:execution_id/log execution_id": 403,
  "POST /executions/:execution_id/log asset_id": 403,
  "POST /authenticate_upload execution_id": 403,
  "POST /complete_upload asset_id": 403,
};

/** Further values of a valid request. */
const values: Readonly<Record<string, unknown>> = {
  all: "true",
  occurrence_time: "2030-01-02T08:00:00Z",
  custom_mode: "GUIDED",
  start: "2029-12-31T00:00:00Z",
  end: "2030-01-31T00:00:00Z",
};

const isId = (name: string, schema: Schema): boolean =>
  /^id$|_id$|Id$|^ids$|^room_number$/.test(name) && ["integer", "array"].includes(schema.type ?? "");

/** The keys that an operation takes, in path, query and body, of which `chosen` is true. */
function keysOf(operation: Operation, chosen: (name: string, schema: Schema) => boolean): string[] {
  const found = new Set<string>();
  for (const { name, schema } of operation.parameters) if (chosen(name, schema)) found.add(name);
  const look = (schema: Schema): void => {
    if (schema.items) look(schema.items);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (chosen(name, property)) found.add(name);
      look(property);
    }
  };
  if (operation.body) look(operation.body);
  return [...found];
}

/** The ids that an operation takes. */
export const idsOf = (operation: Operation): string[] => keysOf(operation, isId);

/** Text keys that are not ids and not in `findNothing`. Numbers and booleans find no object. */
export const unknownKeysOf = (operation: Operation): string[] =>
  keysOf(
    operation,
    (name, schema) =>
      !isId(name, schema) && !["number", "boolean"].includes(schema.type ?? "") && !findNothing.has(name),
  );

export const kindOf = (operation: Operation, name: string) =>
  name === "id" ? plainIds[operation.name] : kinds[name];

/** The request with these ids in it. */
export function requestWithIds(operation: Operation, ownerOf: (id: string) => UserObjects) {
  const idOf = (name: string): number | undefined => {
    const kind = kindOf(operation, name);
    return kind === undefined || kind === "nothing of anybody's" ? undefined : ownerOf(name)[kind];
  };
  const path = pathOf(operation, (parameter) =>
    isId(parameter.name, parameter.schema)
      ? idOf(parameter.name)
      : (values[parameter.name] ??
        (parameter.required ? sample(parameter.schema, undefined, parameter.name) : undefined)),
  );
  const fill = (name: string, schema: Schema) => {
    if (!isId(name, schema)) return values[name];
    return schema.type === "array" ? [idOf(name)] : idOf(name);
  };
  return { path, body: operation.body && sample(operation.body, fill) };
}
