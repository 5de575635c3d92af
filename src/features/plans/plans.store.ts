import type { Knex } from "knex";
import type { Db } from "../../platform/postgres/db";

/** Where one kind of plan is kept. Identifiers of the schema, never input. */
export interface PlanTables {
  readonly plans: string;
  /** Also the key under which a plan carries its points. */
  readonly points: string;
  /** The points' column that names their plan. */
  readonly parent: string;
  readonly planColumns: readonly string[];
  /** Without the id and the parent. */
  readonly pointColumns: readonly string[];
}

/** Points of a plan and of its owner, the new one included. */
export interface PointCounts {
  readonly ofPlan: number;
  /** Of all plans of the user and kind. */
  readonly ofUser: number;
}

interface Row {
  readonly id: number;
}

/** A plan's columns, and its points as JSON. */
type PlanText = Record<string, unknown>;

/** Missions and geofences with their points. Every query names the owner. */
export class PlanStore<Point extends Row> {
  private readonly writePoints: string;

  constructor(readonly tables: PlanTables) {
    const { points, pointColumns } = tables;
    this.writePoints = `
      UPDATE ${points} AS point SET ${pointColumns.map((column) => `${column} = new.${column}`).join(", ")}
      FROM json_populate_recordset(NULL::${points}, ?) AS new WHERE point.id = new.id`;
  }

  /**
   * A JSON array in UTF-8. Postgres writes the points: parsing and writing them here would be most of a request's work.
   * Plan by plan, since V8 would keep a text of all twice.
   */
  async listJson(db: Db, userId: number): Promise<Buffer> {
    const query = `${this.selectPlans} WHERE plan.user_id = ? ORDER BY plan.id`;
    const { rows } = await db.raw(query, [userId]).options({ name: `list ${this.tables.plans}` });
    const parts = rows.map((row: PlanText, at: number) =>
      Buffer.from(`${at ? "," : "["}${this.planJson(row)}`),
    );
    return Buffer.concat([...parts, Buffer.from(rows.length > 0 ? "]" : "[]")]);
  }

  async findJson(db: Db, userId: number, id: number): Promise<string | undefined> {
    const query = `${this.selectPlans} WHERE plan.user_id = ? AND plan.id = ?`;
    const { rows } = await db.raw(query, [userId, id]).options({ name: `find ${this.tables.plans}` });
    return rows[0] && this.planJson(rows[0]);
  }

  /** Those of these plans that are the user's, by id, each as JSON. */
  async findAllJson(db: Db, userId: number, ids: readonly number[]): Promise<string[]> {
    const query = `${this.selectPlans} WHERE plan.user_id = ? AND plan.id = ANY(?) ORDER BY plan.id`;
    const { rows } = await db.raw(query, [userId, [...ids]]);
    return rows.map((row: PlanText) => this.planJson(row));
  }

  /** Returns their ids, in the order of the plans. */
  async insertAll(db: Db, userId: number, plans: readonly object[]): Promise<number[]> {
    const rows = await db(this.tables.plans)
      .insert(plans.map((fields) => ({ ...fields, user_id: userId })))
      .returning("id");
    return rows.map(({ id }) => id);
  }

  /** Returns whether the user has such a plan. */
  async update(db: Db, userId: number, id: number, change: object): Promise<boolean> {
    if (Object.keys(change).length === 0) return this.owns(db, userId, id);
    return (await db(this.tables.plans).where({ id, user_id: userId }).update(change)) === 1;
  }

  /** Returns whether there was such a plan of the user's. Its points go with it. */
  async delete(db: Db, userId: number, id: number): Promise<boolean> {
    return (await db(this.tables.plans).where({ id, user_id: userId }).delete()) === 1;
  }

  async owns(db: Db, userId: number, id: number): Promise<boolean> {
    return (await db(this.tables.plans).where({ id, user_id: userId }).first("id")) !== undefined;
  }

  /** `owns`, with a lock that prevents deletion of the plan and batches of its points until the transaction ends. */
  async lock(trx: Knex.Transaction, userId: number, id: number): Promise<boolean> {
    const row = await trx(this.tables.plans).where({ id, user_id: userId }).forNoKeyUpdate().first("id");
    return row !== undefined;
  }

  /** Prevents other additions to the user's plans until the transaction ends. */
  async lockOwner(trx: Knex.Transaction, userId: number): Promise<void> {
    await trx("users").where({ id: userId }).forNoKeyUpdate().first("id");
  }

  /** Whether the user has more plans than this. */
  async hasMoreThan(db: Db, userId: number, count: number): Promise<boolean> {
    return (
      (await db(this.tables.plans).where({ user_id: userId }).offset(count).first("user_id")) !== undefined
    );
  }

  async countPoints(db: Db, userId: number, planId: number): Promise<PointCounts> {
    return (await this.pointsOf(db, userId).first(
      db.raw(`count(*) FILTER (WHERE ${this.tables.parent} = ?)::integer AS "ofPlan"`, [planId]),
      db.raw('count(*)::integer AS "ofUser"'),
    )) as PointCounts;
  }

  async findPoint(db: Db, userId: number, pointId: number): Promise<Point | undefined> {
    const { parent, pointColumns } = this.tables;
    const point = this.pointsOf(db, userId).where({ id: pointId });
    return (await point.first(["id", parent, ...pointColumns])) as Point | undefined;
  }

  async insertPoint(db: Db, point: object): Promise<void> {
    await db(this.tables.points).insert(point);
  }

  /** In one statement, however many they are. Each has its plan's id and every column. */
  async insertPoints(db: Db, points: readonly object[]): Promise<void> {
    const { points: table, parent, pointColumns } = this.tables;
    const columns = [parent, ...pointColumns].join(", ");
    const query = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?)`;
    await db.raw(query, [JSON.stringify(points)]);
  }

  /** Leaves the plan with these points. */
  async replacePoints(trx: Knex.Transaction, planId: number, points: readonly object[]): Promise<void> {
    const { points: table, parent } = this.tables;
    await trx(table)
      .where({ [parent]: planId })
      .delete();
    if (points.length > 0) await trx(table).insert(points.map((point) => ({ ...point, [parent]: planId })));
  }

  /** Returns the id of the point's plan, or undefined when the user has no such point. */
  async updatePoint(db: Db, userId: number, pointId: number, change: object): Promise<number | undefined> {
    const { parent } = this.tables;
    const point = this.pointsOf(db, userId).where({ id: pointId });
    if (Object.keys(change).length === 0) return (await point.first(parent))?.[parent];
    return (await point.update(change).returning(parent))[0]?.[parent];
  }

  /** Returns the id of the plan that had the point, or undefined when the user has no such point. */
  async deletePoint(db: Db, userId: number, pointId: number): Promise<number | undefined> {
    const { parent } = this.tables;
    return (await this.pointsOf(db, userId).where({ id: pointId }).delete().returning(parent))[0]?.[parent];
  }

  /** The given points that the plan has, by id, locked against changes. */
  async lockPoints(trx: Knex.Transaction, planId: number, ids: readonly number[]): Promise<Point[]> {
    const { points, parent, pointColumns } = this.tables;
    const rows = trx(points)
      .where({ [parent]: planId })
      .whereIn("id", ids)
      .orderBy("id")
      .forUpdate();
    return (await rows.select(["id", ...pointColumns])) as Point[];
  }

  async lockAllPoints(trx: Knex.Transaction, planId: number): Promise<void> {
    const { points, parent } = this.tables;
    await trx(points)
      .where({ [parent]: planId })
      .orderBy("id")
      .forUpdate()
      .select("id");
  }

  /** Write whole rows over those with the same ids, in one statement. */
  async overwritePoints(db: Db, rows: readonly Row[]): Promise<void> {
    await db.raw(this.writePoints, [JSON.stringify(rows)]);
  }

  /** Plans with their points, in one statement: both of the same moment, in one round trip. */
  private get selectPlans(): string {
    const { plans, points, parent, planColumns, pointColumns } = this.tables;
    return `
      SELECT ${planColumns.map((column) => `plan.${column}`).join(", ")},
        coalesce(
          (SELECT json_agg(point ORDER BY point.sequence, point.id)
            FROM (
              SELECT id, ${parent}, ${pointColumns.join(", ")} FROM ${points} WHERE ${parent} = plan.id
            ) AS point),
          '[]'
        )::text AS ${points}
      FROM ${plans} AS plan`;
  }

  private planJson({ [this.tables.points]: points, ...plan }: PlanText): string {
    return `${JSON.stringify(plan).slice(0, -1)},"${this.tables.points}":${points}}`;
  }

  private pointsOf(db: Db, userId: number): Knex.QueryBuilder {
    const { plans, points, parent } = this.tables;
    return db(points).whereIn(parent, db(plans).select("id").where({ user_id: userId }));
  }
}
