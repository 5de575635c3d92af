import { DomainError } from "../../domain/errors";
import type { Db, Transaction } from "../../platform/postgres/db";
import { SharedReads } from "../../platform/shared-reads";
import { PLAN_LIMITS, type PlanLimits } from "./plan-limits";
import type { PlanStore, PointCounts } from "./plans.store";

/** The types of one kind of plan. */
export interface PlanKind {
  readonly plan: { readonly id: number };
  readonly newPlan: object;
  readonly point: { readonly id: number };
  /** Carries its plan's id under the kind's own parent key. */
  readonly newPoint: object;
  readonly pointChange: object;
}

/** A plan to create. Its points are in order and have every column. */
export interface PlanWithPoints<Kind extends PlanKind> {
  readonly plan: Kind["newPlan"];
  readonly points: readonly object[];
}

/** Points that one error message names. */
const MAX_NAMED = 10;

export type ChangeOf<Kind extends PlanKind> = Kind["pointChange"] & { readonly id: number };

/**
 * The service of missions and geofences alike. Plans of other users are `not_found`. Every change returns the whole
 * plan as it is afterwards, as JSON.
 */
export class PlanService<Kind extends PlanKind> {
  private readonly lists = new SharedReads<number, Buffer>();

  constructor(
    protected readonly db: Db,
    protected readonly store: PlanStore<Kind["point"]>,
    /** How messages name the plan: "mission". */
    protected readonly word: string,
    private readonly limits: PlanLimits = PLAN_LIMITS,
  ) {}

  /** The user's plans with their points, as a JSON array. Some 17 MB at most: requests at the same time share it. */
  listJson(userId: number): Promise<Buffer> {
    return this.lists.read(userId, () => this.store.listJson(this.db, userId));
  }

  async get(userId: number, id: number): Promise<Kind["plan"]> {
    return JSON.parse(await this.getJson(userId, id));
  }

  /** `get` as JSON, which is passed on as Postgres made it. */
  async getJson(userId: number, id: number, db = this.db): Promise<string> {
    return (await this.store.findJson(db, userId, id)) ?? this.missing(id);
  }

  create(userId: number, plan: Kind["newPlan"]): Promise<string> {
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      const [id] = await this.store.insertAll(trx, userId, [plan]);
      await this.admitPlans(trx, userId);
      return id as number;
    });
  }

  /** Creates plans with their points, all or none. Returns each as JSON, in the same order. */
  createAll(userId: number, plans: readonly PlanWithPoints<Kind>[]): Promise<string[]> {
    const { store } = this;
    const { parent } = store.tables;
    return this.db.transaction(async (trx) => {
      await store.lockOwner(trx, userId);
      const ids = await store.insertAll(
        trx,
        userId,
        plans.map(({ plan }) => plan),
      );
      await this.admitPlans(trx, userId);
      await store.insertPoints(
        trx,
        plans.flatMap(({ points }, at) => points.map((point) => ({ ...point, [parent]: ids[at] }))),
      );
      const { ofUser } = await store.countPoints(trx, userId, ids[0] as number);
      for (const { points } of plans) this.admitPoint({ ofPlan: points.length, ofUser });
      return store.findAllJson(trx, userId, ids);
    });
  }

  /** Deletes the plan with its points. */
  async remove(userId: number, id: number): Promise<void> {
    if (!(await this.store.delete(this.db, userId, id))) this.missing(id);
  }

  async getPoint(userId: number, pointId: number): Promise<Kind["point"]> {
    return (await this.store.findPoint(this.db, userId, pointId)) ?? this.missingPoint(pointId);
  }

  addPoint(userId: number, planId: number, point: Kind["newPoint"]): Promise<string> {
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      await this.store.insertPoint(trx, point);
      this.admitPoint(await this.store.countPoints(trx, userId, planId));
      return planId;
    });
  }

  /** They take the place of the points that it had. */
  setPoints(userId: number, planId: number, points: readonly object[]): Promise<string> {
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      await this.store.replacePoints(trx, planId, points);
      this.admitPoint(await this.store.countPoints(trx, userId, planId));
      return planId;
    });
  }

  /**
   * Its fields and, under the key of the kind's points, its points, in place of those that it had. `isStill` tells whether
   * the plan is, as JSON, what the caller knows; `changed_meanwhile` when it is not.
   */
  replace(
    userId: number,
    planId: number,
    plan: object,
    isStill?: (json: string) => boolean,
  ): Promise<string> {
    const { [this.store.tables.points]: points, ...fields } = plan as Record<string, unknown>;
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      if (isStill) {
        // Changes of single points lock these only.
        await this.store.lockAllPoints(trx, planId);
        if (!isStill(await this.getJson(userId, planId, trx)))
          throw new DomainError(
            "changed_meanwhile",
            `The ${this.word} was changed since you read it. Nothing was stored; read it again.`,
          );
      }
      await this.store.update(trx, userId, planId, fields);
      await this.store.replacePoints(trx, planId, points as readonly object[]);
      this.admitPoint(await this.store.countPoints(trx, userId, planId));
      return planId;
    });
  }

  changePoint(userId: number, pointId: number, change: Kind["pointChange"]): Promise<string> {
    return this.changed(
      userId,
      async (trx) =>
        (await this.store.updatePoint(trx, userId, pointId, change)) ?? this.missingPoint(pointId),
    );
  }

  removePoint(userId: number, pointId: number): Promise<string> {
    return this.changed(
      userId,
      async (trx) => (await this.store.deletePoint(trx, userId, pointId)) ?? this.missingPoint(pointId),
    );
  }

  /** All rows or none: a row that is not a point of this plan fails the batch. */
  changePoints(userId: number, planId: number, changes: readonly ChangeOf<Kind>[]): Promise<string> {
    const byId = new Map(changes.map((change) => [change.id, change]));
    if (byId.size < changes.length) this.refuseBatch("the same point is in it twice");
    return this.changed(userId, async (trx) => {
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      const points = await this.store.lockPoints(trx, planId, [...byId.keys()]);
      const found = new Set(points.map(({ id }) => id));
      const foreign = [...byId.keys()].filter((id) => !found.has(id));
      if (foreign.length > 0)
        this.refuseBatch(`this ${this.word} has no point ${foreign.slice(0, MAX_NAMED).join(", ")}`);
      const rows = points.map((point) => ({ ...point, ...byId.get(point.id) }));
      await this.store.overwritePoints(trx, rows);
      return planId;
    });
  }

  /** Runs `work`, which returns a plan's id, and reads that plan in the same transaction. */
  protected changed(userId: number, work: (trx: Transaction) => Promise<number>): Promise<string> {
    return this.db.transaction(async (trx) => this.getJson(userId, await work(trx), trx));
  }

  protected missing(id: number): never {
    throw new DomainError("not_found", `You have no ${this.word} ${id}.`);
  }

  private async admitPlans(trx: Transaction, userId: number): Promise<void> {
    const { plans } = this.limits;
    if (await this.store.hasMoreThan(trx, userId, plans))
      refuse(`You have ${plans} ${this.word}s, which is the most; delete old ones.`);
  }

  private admitPoint({ ofPlan, ofUser }: PointCounts): void {
    const { limits, word } = this;
    if (ofPlan > limits.pointsOfPlan)
      refuse(`A ${word} has ${limits.pointsOfPlan} points at most; create another one.`);
    if (ofUser > limits.points)
      refuse(`Your ${word}s have ${limits.points} points together, which is the most; delete old ${word}s.`);
  }

  private missingPoint(id: number): never {
    throw new DomainError("not_found", `You have no ${this.word} point ${id}.`);
  }

  private refuseBatch(reason: string): never {
    throw new DomainError("constraint_violated", `Nothing was changed: ${reason}.`);
  }
}

function refuse(message: string): never {
  throw new DomainError("invalid_input", message);
}
