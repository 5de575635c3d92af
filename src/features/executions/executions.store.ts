import type { MissionItem } from "../../domain/mission-item";
import type { Page } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import { ExecutionReply, type ListedExecution } from "./executions.schema";

export interface Execution extends ListedExecution {
  readonly plan_items: readonly MissionItem[] | null;
}

const executions = (db: Db) => db<Execution>("executions");

export const findExecution = async (db: Db, id: number): Promise<Execution | undefined> =>
  executions(db).where({ id }).first();

/** Locked until the transaction ends, so that each change of its state has its effects once. */
export const lockExecution = async (trx: Db, id: number): Promise<Execution | undefined> =>
  executions(trx).where({ id }).forUpdate().first();

/** Locks several in the order of their ids. Returns those that exist. */
export const lockExecutions = async (trx: Db, ids: readonly number[]): Promise<Execution[]> =>
  executions(trx).whereIn("id", ids).orderBy("id").forUpdate();

export const currentExecution = async (db: Db, droneId: number): Promise<Execution | undefined> =>
  executions(db).where({ drone_id: droneId, status: "in_progress" }).first();

/** Undefined when the drone already has one in progress. */
export const insertExecution = async (
  db: Db,
  execution: Pick<
    Execution,
    "drone_id" | "user_id" | "mission_id" | "mission_name" | "started_at" | "verified_plan_hash"
  >,
): Promise<Execution | undefined> =>
  (
    await executions(db)
      .insert(execution)
      .onConflict(db.raw("(drone_id) WHERE status = 'in_progress'") as never)
      .ignore()
      .returning("*")
  )[0] as Execution | undefined;

export const updateExecution = async (
  db: Db,
  id: number,
  { plan_items, ...changes }: Partial<Omit<Execution, "id">>,
): Promise<Execution | undefined> =>
  (
    await executions(db)
      .where({ id })
      .update({ ...changes, ...(plan_items && { plan_items: JSON.stringify(plan_items) }) } as never)
      .returning("*")
  )[0] as Execution | undefined;

export const deleteExecution = async (trx: Db, id: number): Promise<boolean> =>
  (await executions(trx).where({ id }).delete()) === 1;

const listed = ExecutionReply.keyof().options;

/** Newest first, and how many there are in all. */
export async function pageOf(
  db: Db,
  where: { user_id: number; drone_id?: number },
  { limit, offset }: Page,
): Promise<{ rows: ListedExecution[]; total: number }> {
  const [rows, counted] = await Promise.all([
    executions(db).where(where).orderBy("id", "desc").limit(limit).offset(offset).select(listed),
    db("executions").where(where).count("* as total").first(),
  ]);
  return { rows: rows as ListedExecution[], total: Number(counted?.total ?? 0) };
}

/** The plan that was last uploaded to this drone and read back the same, or the last one with this hash. */
export const verifiedPlan = async (
  db: Db,
  droneId: number,
  hash?: string,
): Promise<{ hash: string; items: MissionItem[]; verified_at: Date } | undefined> =>
  db("verified_plans")
    .where({ drone_id: droneId, ...(hash === undefined ? {} : { hash }) })
    .orderBy("id", "desc")
    .first("hash", "items", "verified_at");

/** The drone's name and types, also when it is deleted. */
export const droneOfExecution = async (
  db: Db,
  droneId: number,
): Promise<{ name: string; type: string; vehicle_type: string } | undefined> =>
  db("drones").where({ id: droneId }).first("name", "type", "vehicle_type");

/** The mission of a live drone, for an execution whose request has none. */
export const missionOfDrone = async (db: Db, droneId: number): Promise<number | null> =>
  (await db("drones").where({ id: droneId }).first("mission_id"))?.mission_id ?? null;

const COMMANDS_AT_ONCE = 1_000;
const COMMAND_COLUMNS = [
  ...["command", "parameters", "outcome", "result", "error"],
  ...["requested_at", "finished_at", "user_id"],
];

/** The orders to the drone during the execution, oldest first. */
export async function* commandsDuring(db: Db, { drone_id, started_at, completed_at }: Execution) {
  let rows: { id: number }[] = [];
  let last = 0;
  do {
    rows = await db("drone_commands")
      .where({ drone_id })
      .where("id", ">", last)
      .where("requested_at", ">=", started_at)
      .modify((query) => void (completed_at && query.where("requested_at", "<=", completed_at)))
      .orderBy("id")
      .limit(COMMANDS_AT_ONCE)
      .select("id", ...COMMAND_COLUMNS);
    for (const { id, ...command } of rows) {
      last = id;
      yield command;
    }
  } while (rows.length === COMMANDS_AT_ONCE);
}
