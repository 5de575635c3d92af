import type { Route } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import { planFileRoutes } from "./plan-files.routes";
import { PlanFiles } from "./plan-files.service";

/** Missions and geofences from and to files of ground stations and maps. */
export const planFiles = ({ db }: { readonly db: Db }): { readonly routes: readonly Route[] } => ({
  routes: planFileRoutes(new PlanFiles(db)),
});
