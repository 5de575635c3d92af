import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { retryWhileUnavailable } from "../../platform/postgres/retry";
import type { Logger } from "../../platform/process/log";
import type { Quotas } from "../../platform/quotas/quotas";
import type { LinkTarget, VehicleLinks } from "../../vehicle";
import type { Action, ActionResult, Order, OrderedDrone } from "./action";
import { finishCommand, insertCommand, insertVerifiedPlan } from "./commands.store";

/** How long the record of an outcome waits for a database that is down. */
const RECORD_LIMIT_MS = 60_000;
/** How long the reply waits for the record. */
const REPLY_DELAY_MS = 1_000;

export interface ActionsDeps<Drone extends OrderedDrone> {
  /** The caller's own drone, or `not_found`. */
  readonly droneFor: (userId: number, droneId: number) => Promise<Drone>;
  readonly quotas: Pick<Quotas, "take">;
  readonly links: Pick<VehicleLinks, "withLink">;
  /** Throws `vehicle_unreachable` when the drone has no address that may be dialled. */
  readonly targetOf: (drone: Drone) => LinkTarget;
  /** The caller's plans. */
  readonly plansOf: (userId: number) => Order["plans"];
  readonly publish: (channel: string, payload: string) => Promise<number>;
  /** Prepares arming. A failure is logged and does not prevent arming. */
  readonly beforeArm?: (drone: Drone) => Promise<void>;
}

export interface ActionService {
  order(
    userId: number,
    droneId: number,
    action: Action,
    parameters: Record<string, unknown>,
  ): Promise<ActionResult>;
}

/**
 * Carries out orders, each on record. The record is written before anything is sent, so an order is refused while the
 * database is down, and nothing is flown unrecorded; once the drone has acted, the caller gets the drone's outcome,
 * whether or not the record could be finished. An order beyond the drone's quota is refused and leaves no record.
 */
export class RecordedActions<Drone extends OrderedDrone> implements ActionService {
  constructor(
    private readonly db: Db,
    private readonly log: Logger,
    private readonly deps: ActionsDeps<Drone>,
  ) {}

  async order(
    userId: number,
    droneId: number,
    action: Action,
    parameters: Record<string, unknown>,
  ): Promise<ActionResult> {
    const drone = await this.deps.droneFor(userId, droneId);
    if (!action.emergency) await this.deps.quotas.take("orders", drone.id);
    const record = await insertCommand(this.db, {
      drone_id: drone.id,
      user_id: userId,
      command: action.path,
      parameters,
    });
    try {
      const done = await action.run(this.orderOf(userId, drone), parameters);
      await this.finish(record, { outcome: "accepted", result: done.result });
      return done;
    } catch (error) {
      const message = error instanceof DomainError ? error.message : "an unexpected failure";
      const outcome = error instanceof DomainError && error.code === "outcome_unknown" ? "unknown" : "failed";
      await this.finish(record, { outcome, error: message });
      throw error;
    }
  }

  /** A database that is down delays the reply for a moment only; the record is finished when it is back. */
  private async finish(record: string, ending: Parameters<typeof finishCommand>[2]): Promise<void> {
    const finished = this.logFailure("finish a command's record", () =>
      retryWhileUnavailable(() => finishCommand(this.db, record, ending), { limitMs: RECORD_LIMIT_MS }),
    );
    await Promise.race([finished, delay(REPLY_DELAY_MS, undefined, { ref: false })]);
  }

  private orderOf(userId: number, drone: Drone): Order {
    const { deps } = this;
    return {
      drone,
      onLink: async (use) => deps.links.withLink(deps.targetOf(drone), use),
      plans: deps.plansOf(userId),
      publish: (channel, payload) => deps.publish(channel, JSON.stringify(payload)),
      beforeArm: async () => {
        await this.logFailure("prepare a drone before arming", async () => deps.beforeArm?.(drone));
      },
      keepVerifiedPlan: (missionId, plan) =>
        this.logFailure("keep a verified plan", () => insertVerifiedPlan(this.db, drone.id, missionId, plan)),
    };
  }

  private async logFailure(task: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, task }, "Task beside an order failed; the order stands");
    }
  }
}
