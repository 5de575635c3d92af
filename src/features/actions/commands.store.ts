import type { Db } from "../../platform/postgres/db";
import { type Drone, selectDroneFor } from "../drones";

/**
 * pending:  written before anything is sent; stays so for some minutes when the process dies meanwhile, and is unknown
 *           then.
 * accepted: the vehicle took it; `result` is the caller's reply.
 * failed:   it was not done, or only in part; `error` is the caller's error message.
 * unknown:  it was sent, and the answer was lost on its way from the vehicle or between two replicas of the gateway: it
 *           may have been done or not.
 */
export type Outcome = "pending" | "accepted" | "failed" | "unknown";

interface NewCommand {
  readonly drone_id: number;
  readonly user_id: number;
  /** The action's path, such as `takeoff`. */
  readonly command: string;
  /** The body without `drone_id`. */
  readonly parameters: unknown;
}

/** A pending record's id, and the drone. */
interface PendingCommand {
  readonly id: number;
  readonly drone: Drone;
}

/** In one round trip, since a vehicle waits for it. Undefined, and nothing recorded, when the user may not order it. */
export async function insertCommand(
  db: Db,
  { drone_id, user_id, command, parameters }: NewCommand,
): Promise<PendingCommand | undefined> {
  const { rows } = await db
    .raw<{ rows: (Drone & { command_id: number })[] }>(
      `WITH drone AS (${selectDroneFor("command")}), command AS (
         INSERT INTO drone_commands (drone_id, user_id, command, parameters)
         SELECT id, ?, ?, ?::jsonb FROM drone RETURNING id
       ) SELECT drone.*, command.id AS command_id FROM drone, command`,
      [drone_id, user_id, user_id, command, JSON.stringify(parameters)],
    )
    .options({ name: "insert command" });
  if (!rows[0]) return undefined;
  const { command_id: id, ...drone } = rows[0];
  return { id, drone };
}

export async function finishCommand(
  db: Db,
  id: number,
  { outcome, result, error }: { outcome: Exclude<Outcome, "pending">; result?: unknown; error?: string },
): Promise<void> {
  await db
    .raw(
      `UPDATE drone_commands SET outcome = ?, result = ?::jsonb, error = ?, finished_at = now() WHERE id = ?`,
      [outcome, result === undefined ? null : JSON.stringify(result), error ?? null, id] as string[],
    )
    .options({ name: "finish command" });
}

/** Ends commands that have been pending for so long. Returns their number. */
export const endAbandonedCommands = (db: Db, afterMs: number): Promise<number> =>
  db("drone_commands")
    .where({ outcome: "pending" satisfies Outcome })
    .where("requested_at", "<", db.raw("now() - ? * interval '1 millisecond'", [afterMs]))
    .update({
      outcome: "unknown" satisfies Outcome,
      error: "The server that carried this out ended meanwhile: the drone may have done it or not.",
      finished_at: db.fn.now(),
    });

/** Deletes commands older than this, `batch` at most. Returns their number. */
export async function deleteOldCommands(db: Db, days: number, batch: number): Promise<number> {
  // Ids grow with time, so the oldest commands are found without a search.
  const { rowCount } = await db.raw(
    `DELETE FROM drone_commands
     WHERE id IN (SELECT id FROM drone_commands ORDER BY id LIMIT ?)
       AND requested_at < now() - ? * interval '1 day'`,
    [batch, days],
  );
  return rowCount;
}

/** Deletes the oldest commands of drones that have more than `kept`, `batch` at most. Returns their number. */
export async function deleteCommandsBeyond(db: Db, kept: number, batch: number): Promise<number> {
  const { rowCount } = await db.raw(
    `WITH beyond AS (
       SELECT id AS drone_id, (
         SELECT requested_at FROM drone_commands WHERE drone_id = drones.id
         ORDER BY requested_at DESC OFFSET ? LIMIT 1
       ) AS newest FROM drones
     )
     DELETE FROM drone_commands WHERE id IN (
       SELECT command.id FROM beyond JOIN drone_commands command USING (drone_id)
       WHERE command.requested_at <= beyond.newest LIMIT ?
     )`,
    [kept, batch],
  );
  return rowCount;
}
