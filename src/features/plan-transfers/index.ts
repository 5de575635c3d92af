import type { Route } from "../../http/route";
import { fenceOnBoardRoute } from "./fence-on-board";
import { comparedMissionRoute, missionOnBoardRoute, type OnBoardDeps } from "./mission-on-board";

export { ItemOnBoard, toItemOnBoard } from "./item-on-board";
export { transferRecords } from "./transfer-records";

/** Plans on their way to drones, and the mission and the fence on board. */
export const planTransfers = (deps: OnBoardDeps): { readonly routes: readonly Route[] } => ({
  routes: [missionOnBoardRoute(deps), comparedMissionRoute(deps), fenceOnBoardRoute(deps)],
});
