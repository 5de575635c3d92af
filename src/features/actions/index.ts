import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import type { Tasks } from "../../platform/jobs/worker";
import type { Db } from "../../platform/postgres/db";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Quotas } from "../../platform/quotas/quotas";
import type { Redis } from "../../platform/redis/client";
import type { VehicleLinks } from "../../vehicle";
import { type Drone, droneFor, linkTarget } from "../drones";
import { enabledGeofences, geofenceForUpload } from "../geofences";
import { missionForUpload } from "../missions";
import { AbandonedOrders } from "./abandoned-orders";
import { actionRoutes } from "./actions.routes";
import { RecordedActions } from "./actions.service";
import { actionTable } from "./actions.table";
import { PRUNE_COMMANDS, pruneCommandsTask, schedulePruning } from "./prune-commands";

interface Deps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  readonly quotas: Quotas;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, "onClose">;
  readonly links: Pick<VehicleLinks, "withLink">;
  /** Prepares arming. A failure is logged and does not prevent arming. */
  readonly beforeArm?: (drone: Drone) => Promise<void>;
}

/** Orders to drones: everything under `/drone/action/` but the connection itself. */
export function actions({ config, db, redis, quotas, log, lifecycle, links, beforeArm }: Deps): {
  readonly routes: readonly Route[];
} {
  const abandoned = new AbandonedOrders(db, log);
  lifecycle.onClose("abandoned orders", () => abandoned.stop());
  lifecycle.onClose("pruning of commands", schedulePruning(db, log));
  const service = new RecordedActions<Drone>(db, log, {
    droneFor: (userId, droneId) => droneFor(db, userId, "command", droneId),
    quotas,
    links,
    targetOf: (drone) => linkTarget(config, drone),
    plansOf: (userId) => ({
      waypoints: async (missionId) => (await missionForUpload(db, userId, missionId)).mission_points,
      geofence: (geofenceId) => geofenceForUpload(db, userId, geofenceId),
      enabledGeofences: () => enabledGeofences(db, userId),
    }),
    publish: (channel, payload) => publish(redis, channel, payload),
    beforeArm,
  });
  return { routes: actionRoutes(actionTable, service) };
}

/** Jobs on the records of orders. */
export const actionTasks = ({ db, log }: Pick<Deps, "db" | "log">): Tasks => ({
  [PRUNE_COMMANDS]: pruneCommandsTask(db, log),
});

async function publish(redis: Redis, channel: string, payload: string): Promise<number> {
  try {
    return await redis.publish(channel, payload);
  } catch (error) {
    throw new DomainError(
      "unavailable",
      "The drone's computer cannot be reached through Redis just now; try again shortly.",
      {
        cause: error,
      },
    );
  }
}
