import type { Knex } from "knex";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { PLAN_LIMITS, PlanLimiter, type PlanLimits, SHORT_TEXT_BYTES } from "./plan-limits";
import type { PlanStore } from "./plans.store";

/** What a kind of plan and its points are made of. */
export interface PlanKind {
  readonly plan: { readonly id: number };
  readonly newPlan: object;
  readonly point: { readonly id: number };
  /** Carries its plan's id under the kind's own parent key. */
  readonly newPoint: object;
  readonly pointChange: object;
}

/** Points that one refusal names; the next one names others. */
const MOST_NAMED = 10;

export type ChangeOf<Kind extends PlanKind> = Kind["pointChange"] & { readonly id: number };

/**
 * What missions and geofences do alike. Whatever is not the caller's does not exist for them: `not_found`.
 * Every change returns the whole plan as it is afterwards, as JSON.
 */
export class PlanService<Kind extends PlanKind> {
  private readonly limiter: PlanLimiter;

  constructor(
    protected readonly db: Db,
    protected readonly store: PlanStore<Kind["plan"], Kind["point"]>,
    /** "mission": how messages name the plan. */
    protected readonly word: string,
    limits: PlanLimits = PLAN_LIMITS,
  ) {
    this.limiter = new PlanLimiter(limits, word);
  }

  /** Every plan of the user's with its points, as JSON, piece by piece. */
  listJson(userId: number): Promise<Iterable<string>> {
    return this.store.listJson(this.db, userId);
  }

  async get(userId: number, id: number): Promise<Kind["plan"]> {
    return (await this.store.find(this.db, userId, id)) ?? this.missing(id);
  }

  /** `get` as JSON: a plan may have thousands of points, which are only passed on. */
  async getJson(userId: number, id: number, db = this.db): Promise<string> {
    return (await this.store.findJson(db, userId, id)) ?? this.missing(id);
  }

  create(userId: number, plan: Kind["newPlan"]): Promise<string> {
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      const id = await this.store.insert(trx, userId, plan);
      if (await this.store.hasMoreThan(trx, userId, this.limiter.plans)) this.limiter.refusePlan();
      return id;
    });
  }

  async getPoint(userId: number, pointId: number): Promise<Kind["point"]> {
    return (await this.store.findPoint(this.db, userId, pointId)) ?? this.missingPoint(pointId);
  }

  addPoint(userId: number, planId: number, point: Kind["newPoint"]): Promise<string> {
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      await this.store.insertPoint(trx, point);
      this.limiter.admitPoint(await this.store.countPoints(trx, userId, planId));
      if (this.hasLongText(point)) this.limiter.admitText(await this.store.textBytes(trx, userId));
      return planId;
    });
  }

  changePoint(userId: number, pointId: number, change: Kind["pointChange"]): Promise<string> {
    return this.rewritten(
      userId,
      [change],
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
    return this.rewritten(userId, changes, async (trx) => {
      if (!(await this.store.lock(trx, userId, planId))) this.missing(planId);
      const points = await this.store.lockPoints(trx, planId, [...byId.keys()]);
      const found = new Set(points.map(({ id }) => id));
      const foreign = [...byId.keys()].filter((id) => !found.has(id));
      if (foreign.length > 0)
        this.refuseBatch(`this ${this.word} has no point ${foreign.slice(0, MOST_NAMED).join(", ")}`);
      const rows = points.map((point) => ({ ...point, ...byId.get(point.id) }));
      await this.store.overwritePoints(trx, rows);
      return planId;
    });
  }

  /** `changed`, where free text may become longer: beyond its limit it may only become shorter. */
  private rewritten(
    userId: number,
    changes: readonly object[],
    work: (trx: Knex.Transaction) => Promise<number>,
  ): Promise<string> {
    if (!changes.some((change) => this.hasLongText(change))) return this.changed(userId, work);
    return this.changed(userId, async (trx) => {
      await this.store.lockOwner(trx, userId);
      const before = await this.store.textBytes(trx, userId);
      const planId = await work(trx);
      this.limiter.admitText(await this.store.textBytes(trx, userId), before);
      return planId;
    });
  }

  /** Short ones are not looked at: what all points have of them is bounded already. */
  private hasLongText(point: object): boolean {
    const { textColumn } = this.store.tables;
    const text = textColumn && (point as Record<string, unknown>)[textColumn];
    return typeof text === "string" && Buffer.byteLength(JSON.stringify(text)) > SHORT_TEXT_BYTES;
  }

  /** The plan just as `work`, which tells its id, has left it: read before anybody else may change it. */
  protected changed(userId: number, work: (trx: Knex.Transaction) => Promise<number>): Promise<string> {
    return this.db.transaction(async (trx) => this.getJson(userId, await work(trx), trx));
  }

  protected missing(id: number): never {
    throw new DomainError("not_found", `You have no ${this.word} ${id}.`);
  }

  private missingPoint(id: number): never {
    throw new DomainError("not_found", `You have no ${this.word} point ${id}.`);
  }

  private refuseBatch(reason: string): never {
    throw new DomainError("constraint_violated", `Nothing was changed: ${reason}.`);
  }
}
