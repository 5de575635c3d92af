import { enqueue } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { deleteCommandsBeyond, deleteOldCommands } from "./commands.store";

export const PRUNE_COMMANDS = "prune-commands";
const INTERVAL_MS = 3_600_000;

/** A year of flights and the time to ask about them; a drone that is flown every day gives some hundred orders a day. */
const RETENTION = {
  days: 400,
  /** Commands of one drone. */
  commands: 100_000,
  /** Rows that one statement deletes. */
  batch: 5_000,
};

/** Deletes the commands of drones that are too old, and a drone's oldest beyond its number. Safe to repeat. */
export const pruneCommandsTask =
  (db: Db, log: Logger, { days, commands, batch } = RETENTION): Task =>
  async (_payload, signal) => {
    let deleted = 0;
    for (const deleteBatch of [
      () => deleteOldCommands(db, days, batch),
      () => deleteCommandsBeyond(db, commands, batch),
    ]) {
      for (let rows = batch; rows === batch && !signal.aborted; deleted += rows) rows = await deleteBatch();
    }
    if (deleted > 0) log.info({ commands: deleted }, "Deleted old commands of drones");
  };

/**
 * Asks for the pruning once an hour. All gateways ask; of the jobs that wait there is one. Returns the function that
 * stops asking. Not by the queue's own timer, which ends the process when the database is down as it rings.
 */
export function schedulePruning(db: Db, log: Logger, intervalMs = INTERVAL_MS): () => void {
  const timer = setInterval(() => {
    enqueue(db, { task: PRUNE_COMMANDS, payload: {}, user: null, key: PRUNE_COMMANDS }).catch(
      (error: unknown) =>
        log.warn({ err: error }, "Cannot ask for the pruning of commands: the database does not answer"),
    );
  }, intervalMs).unref();
  return () => clearInterval(timer);
}
