import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { retryWhileUnavailable } from "../../platform/postgres/retry";
import type { Logger } from "../../platform/process/log";
import type { VehicleLink } from "../../vehicle";
import type { Action, Done, Order, OrderedDrone } from "./action";
import { finishCommand, insertCommand, insertVerifiedPlan } from "./commands.store";

/** How long a database that is away is waited for, to record what became of an order. */
const RECORD_LIMIT_MS = 60_000;
/** What a drone did is told without its record after this long. */
const ANSWER_DELAY_MS = 1_000;

/** The doors through which orders reach their drones. */
export interface ActionDoors<Drone extends OrderedDrone> {
  /** The caller's own drone, or `not_found`. */
  readonly droneFor: (userId: number, droneId: number) => Promise<Drone>;
  readonly onLink: <T>(drone: Drone, use: (link: VehicleLink) => Promise<T>) => Promise<T>;
  /** The caller's plans. */
  readonly plansOf: (userId: number) => Order["plans"];
  readonly publish: (channel: string, payload: string) => Promise<number>;
  /** What comes before arming. A failure is logged and never keeps a drone from arming. */
  readonly beforeArm?: (drone: Drone) => Promise<void>;
}

export interface ActionService {
  order(userId: number, droneId: number, action: Action, parameters: Record<string, unknown>): Promise<Done>;
}

/**
 * Carries out orders, each on record. The record is written before anything is sent, so a database that is
 * down refuses the order and nothing is flown unrecorded; once the drone has acted, what the caller hears is
 * what the drone did, whether or not the record could be finished.
 */
export class RecordedActions<Drone extends OrderedDrone> implements ActionService {
  constructor(
    private readonly db: Db,
    private readonly log: Logger,
    private readonly doors: ActionDoors<Drone>,
  ) {}

  async order(
    userId: number,
    droneId: number,
    action: Action,
    parameters: Record<string, unknown>,
  ): Promise<Done> {
    const drone = await this.doors.droneFor(userId, droneId);
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
      const told = error instanceof DomainError ? error.message : "an unexpected failure";
      const outcome = error instanceof DomainError && error.code === "outcome_unknown" ? "unknown" : "failed";
      await this.finish(record, { outcome, error: told });
      throw error;
    }
  }

  /** A database that is away holds the answer up for a moment only; the record is finished when it is back. */
  private async finish(record: string, ending: Parameters<typeof finishCommand>[2]): Promise<void> {
    const finished = this.quietly("finish a command's record", () =>
      retryWhileUnavailable(() => finishCommand(this.db, record, ending), { limitMs: RECORD_LIMIT_MS }),
    );
    await Promise.race([finished, delay(ANSWER_DELAY_MS, undefined, { ref: false })]);
  }

  private orderOf(userId: number, drone: Drone): Order {
    const { doors } = this;
    return {
      drone,
      onLink: (use) => doors.onLink(drone, use),
      plans: doors.plansOf(userId),
      publish: (channel, payload) => doors.publish(channel, JSON.stringify(payload)),
      beforeArm: async () => {
        await this.quietly("prepare a drone before arming", async () => doors.beforeArm?.(drone));
      },
      keepVerifiedPlan: (missionId, plan) =>
        this.quietly("keep a verified plan", () => insertVerifiedPlan(this.db, drone.id, missionId, plan)),
    };
  }

  private async quietly(task: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, task }, "failed beside an order; the order stands");
    }
  }
}
