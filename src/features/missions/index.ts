import type { z } from "zod";
import type { Route } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import { missionRoutes } from "./missions.routes";
import { AllMissionPoints, Mission } from "./missions.schema";
import { MissionService } from "./missions.service";

export type { MissionPoint } from "./missions.schema";
export { lockMission } from "./missions.store";
export { AllMissionPoints, Mission };

/** Missions and their waypoints, stored. Nothing here reaches a vehicle. */
export function missions({ db }: { readonly db: Db }): { readonly routes: readonly Route[] } {
  return { routes: missionRoutes(new MissionService(db)) };
}

/** The user's mission with its points in the order they are flown, or `not_found`. */
export const missionForUpload = (db: Db, userId: number, missionId: number): Promise<Mission> =>
  new MissionService(db).get(userId, missionId);

/** Creates a mission with its points, which have every column, or nothing. Returns it as JSON. */
export async function createMission(
  db: Db,
  userId: number,
  name: string,
  points: z.output<typeof AllMissionPoints>,
): Promise<string> {
  const [mission = ""] = await new MissionService(db).createAll(userId, [{ plan: { name }, points }]);
  return mission;
}
