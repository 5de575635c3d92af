import { ids, Message, type Route, route, SerializedJson } from "../../http/route";
import { BATCH_BYTES } from "../plans";
import {
  FirstMissionPoint,
  Mission,
  MissionPoint,
  MissionPointBatch,
  MissionPointChange,
  NewMission,
} from "./missions.schema";
import type { MissionService } from "./missions.service";

/** What every route here shares. The contract answers input that does not fit with 500. */
const common = { tag: "Missions", guard: "user", envelope: "B", invalidInput: 500 } as const;

const missionId = ids("mission_id");
const pointId = ids("mission_point_id");
const wholeMission = { status: 201, schema: Mission, description: "The whole mission." } as const;

const serialized = async (json: Promise<string>) => new SerializedJson(await json);

export function missionRoutes(missions: MissionService): readonly Route[] {
  return [
    route({
      ...common,
      method: "post",
      path: "/mission",
      summary: "Create an empty mission",
      body: NewMission,
      success: { status: 201, schema: Mission, description: "The mission, without points." },
      handle: ({ body, caller }) => serialized(missions.create(caller.id, body)),
    }),
    route({
      ...common,
      method: "get",
      path: "/missions",
      summary: "List the caller's missions with their points",
      description: "A failure to read them is answered with status 200 too, and its body is `{error}`.",
      success: { status: 200, schema: Mission.array() },
      errors: { internal: 200, unavailable: 200 },
      handle: ({ caller }) => serialized(missions.listJson(caller.id)),
    }),
    route({
      ...common,
      method: "get",
      path: "/mission/:mission_id",
      summary: "Read a mission with its points",
      params: missionId,
      success: { status: 200, schema: Mission },
      handle: ({ params, caller }) => serialized(missions.getJson(caller.id, params.mission_id)),
    }),
    route({
      ...common,
      method: "delete",
      path: "/mission/:mission_id",
      summary: "Delete a mission with its points",
      description: "The caller's drones that have this mission are left without one.",
      params: missionId,
      success: { status: 200, schema: Message },
      documents: { 400: "A drone still uses the mission; unassign it first." },
      handle: async ({ params, caller }) => {
        await missions.remove(caller.id, params.mission_id);
        return { message: "The mission was deleted." };
      },
    }),
    route({
      ...common,
      method: "post",
      path: "/mission/point",
      summary: "Add one point to a mission",
      description: "The body is an array of which only the first element is read. Unknown keys are refused.",
      body: FirstMissionPoint,
      success: wholeMission,
      documents: { 404: "The caller has no mission with this `mission_id`." },
      handle: ({ body: point, caller }) => serialized(missions.addPoint(caller.id, point.mission_id, point)),
    }),
    route({
      ...common,
      method: "get",
      path: "/mission/point/:mission_point_id",
      summary: "Read one point",
      params: pointId,
      success: { status: 200, schema: MissionPoint },
      handle: ({ params, caller }) => missions.getPoint(caller.id, params.mission_point_id),
    }),
    route({
      ...common,
      method: "patch",
      path: "/mission/point/:mission_point_id",
      summary: "Change some fields of one point",
      description: "Any column but the id and the mission's id. Unknown keys are refused.",
      params: pointId,
      body: MissionPointChange,
      success: wholeMission,
      handle: ({ params, body, caller }) =>
        serialized(missions.changePoint(caller.id, params.mission_point_id, body)),
    }),
    route({
      ...common,
      method: "delete",
      path: "/mission/point/:mission_point_id",
      summary: "Delete one point",
      params: pointId,
      success: wholeMission,
      handle: ({ params, caller }) => serialized(missions.removePoint(caller.id, params.mission_point_id)),
    }),
    route({
      ...common,
      method: "patch",
      path: "/mission/:mission_id/points",
      summary: "Change several points of a mission, all or none",
      description:
        "Each row names a point by `id` and the columns to change. An unknown key, a value that does not fit, or a point that is not this mission's fails the whole batch with 500, and nothing is changed.",
      params: missionId,
      body: MissionPointBatch,
      bodyLimitBytes: BATCH_BYTES,
      success: wholeMission,
      handle: ({ params, body, caller }) =>
        serialized(missions.changePoints(caller.id, params.mission_id, body)),
    }),
  ];
}
