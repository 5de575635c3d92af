import type { Route } from "../../http/route";
import { planRoutes } from "../plans";
import {
  AllMissionPoints,
  FirstMissionPoint,
  Mission,
  MissionPoint,
  MissionPointBatch,
  MissionPointChange,
  NewMission,
  WholeMission,
} from "./missions.schema";
import type { MissionService } from "./missions.service";

export const missionRoutes = (missions: MissionService): readonly Route[] =>
  planRoutes(missions, {
    tag: "Missions",
    word: "mission",
    pointId: "mission_point_id",
    plan: Mission,
    newPlan: NewMission,
    wholePlan: WholeMission,
    point: MissionPoint,
    firstPoint: FirstMissionPoint,
    allPoints: AllMissionPoints,
    pointChange: MissionPointChange,
    pointBatch: MissionPointBatch,
    changed: 201,
    create: { summary: "Create an empty mission" },
    list: {
      description: "A failure to read them is answered with status 200 too, and its body is `{error}`.",
      errors: { internal: 200, unavailable: 200 },
    },
    remove: {
      description: "The caller's drones that have this mission are left without one.",
      documents: { 400: "A drone that is not the caller's has the mission; unassign it first." },
    },
  });
