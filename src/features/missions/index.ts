import type { Route } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import { missionRoutes } from "./missions.routes";
import type { Mission } from "./missions.schema";
import { MissionService } from "./missions.service";

export type { Mission, MissionPoint } from "./missions.schema";
export { lockMission } from "./missions.store";

/** Missions and their waypoints, stored. Nothing here reaches a vehicle. */
export function missions({ db }: { readonly db: Db }): { readonly routes: readonly Route[] } {
  return { routes: missionRoutes(new MissionService(db)) };
}

/** The user's mission with its points in the order they are flown, or `not_found`. */
export const missionForUpload = (db: Db, userId: number, missionId: number): Promise<Mission> =>
  new MissionService(db).get(userId, missionId);
