import type { Route } from "../../http/route";
import { enqueueHourly } from "../../platform/jobs/hourly";
import type { Tasks } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";
import { endAbandonedOrders } from "./abandoned-orders";
import { actionRoutes } from "./actions.routes";
import { type ActionsDeps, RecordedActions } from "./actions.service";
import { PRUNE_COMMANDS, pruneCommandsTask } from "./prune-commands";

/** Orders to drones: everything under `/drone/action/` but the connection itself. */
export function actions(deps: ActionsDeps & Pick<Services, "lifecycle">): {
  readonly routes: readonly Route[];
} {
  deps.lifecycle.onClose("abandoned orders", endAbandonedOrders(deps));
  enqueueHourly(deps, PRUNE_COMMANDS);
  return { routes: actionRoutes(new RecordedActions(deps)) };
}

/** Jobs on the records of orders. */
export const actionTasks = ({ db, log }: Pick<Services, "db" | "log">): Tasks => ({
  [PRUNE_COMMANDS]: pruneCommandsTask(db, log),
});
