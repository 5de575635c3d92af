import type { Route } from "../../http/route";
import { missionOnBoardRoute } from "./mission-on-board";

export { transferRecords } from "./transfer-records";

/** Plans on their way to drones, and the mission on board. */
export const planTransfers = (
  deps: Parameters<typeof missionOnBoardRoute>[0],
): { readonly routes: readonly Route[] } => ({ routes: [missionOnBoardRoute(deps)] });
