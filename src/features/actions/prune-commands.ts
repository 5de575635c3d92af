import type { Task } from "../../platform/jobs/worker";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { deleteCommandsBeyond, deleteOldCommands } from "./commands.store";

export const PRUNE_COMMANDS = "prune-commands";

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
