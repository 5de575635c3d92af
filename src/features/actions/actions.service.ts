import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain/errors";
import { retryWhileUnavailable } from "../../platform/postgres/retry";
import { orderQuotaKey } from "../../platform/quotas/quotas";
import type { Services } from "../../platform/services";
import type { VehicleLinks } from "../../vehicle";
import { type Drone, linkTarget, noSuchDrone } from "../drones";
import { enabledGeofences, geofenceForUpload } from "../geofences";
import { missionForUpload } from "../missions";
import type { Action, ActionResult, Order } from "./action";
import { finishCommand, insertCommand } from "./commands.store";

/** How long the record of an outcome waits for a database that is down. */
const RECORD_LIMIT_MS = 60_000;
/** How long the reply waits for the record. */
const REPLY_DELAY_MS = 1_000;

export interface ActionsDeps extends Pick<Services, "config" | "db" | "redis" | "quotas" | "log"> {
  readonly links: Pick<VehicleLinks, "withLink">;
  /** Prepares arming. A failure is logged and does not prevent arming. */
  readonly beforeArm?: (drone: Drone) => Promise<void>;
}

/**
 * Carries out orders, each on record. The record is written before anything is sent, so an order is refused while the
 * database is down, and nothing is flown unrecorded; once the drone has acted, the caller gets the drone's outcome,
 * whether or not the record could be finished. An order beyond the drone's quota is refused and leaves no record.
 */
export class RecordedActions {
  constructor(private readonly deps: ActionsDeps) {}

  async order(
    userId: number,
    droneId: number,
    action: Action,
    parameters: Record<string, unknown>,
  ): Promise<ActionResult> {
    const { db, quotas } = this.deps;
    if (!action.emergency) await quotas.take("orders", orderQuotaKey(userId, droneId));
    const pending = await insertCommand(db, {
      drone_id: droneId,
      user_id: userId,
      command: action.path,
      parameters,
    });
    if (!pending) throw noSuchDrone();
    const { id, drone } = pending;
    try {
      const done = await action.run(this.orderOf(userId, drone), parameters);
      await this.finish(id, { outcome: "accepted", result: done.result });
      return done;
    } catch (error) {
      const message = error instanceof DomainError ? error.message : "an unexpected failure";
      const outcome = error instanceof DomainError && error.code === "outcome_unknown" ? "unknown" : "failed";
      await this.finish(id, { outcome, error: message });
      throw error;
    }
  }

  /** A database that is down delays the reply for a moment only; the record is finished when it is back. */
  private async finish(id: number, ending: Parameters<typeof finishCommand>[2]): Promise<void> {
    const finished = this.logFailure("finish a command's record", () =>
      retryWhileUnavailable(() => finishCommand(this.deps.db, id, ending), { limitMs: RECORD_LIMIT_MS }),
    );
    await Promise.race([finished, delay(REPLY_DELAY_MS, undefined, { ref: false })]);
  }

  private orderOf(userId: number, drone: Drone): Order {
    const { config, db, links, beforeArm } = this.deps;
    return {
      drone,
      onLink: async (use) => links.withLink(linkTarget(config, drone), use),
      plans: {
        waypoints: async (id) => (await missionForUpload(db, userId, id)).mission_points,
        geofence: (id) => geofenceForUpload(db, userId, id),
        enabledGeofences: () => enabledGeofences(db, userId),
      },
      publish: (channel, payload) => this.publish(channel, JSON.stringify(payload)),
      beforeArm: async () => {
        await this.logFailure("prepare a drone before arming", async () => beforeArm?.(drone));
      },
    };
  }

  private async publish(channel: string, payload: string): Promise<number> {
    try {
      return await this.deps.redis.publish(channel, payload);
    } catch (cause) {
      const message = "The drone's computer cannot be reached through Redis just now; try again shortly.";
      throw new DomainError("unavailable", message, { cause });
    }
  }

  private async logFailure(task: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.deps.log.error({ err: error, task }, "A task beside an order failed; the order is not affected");
    }
  }
}
