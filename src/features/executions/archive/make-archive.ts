import type { KeyObject } from "node:crypto";
import { z } from "zod";
import type { Task } from "../../../platform/jobs/worker";
import type { ObjectStore } from "../../../platform/objects/object-store";
import type { Db } from "../../../platform/postgres/db";
import type { Clock } from "../../../platform/process/clock";
import { findExecution } from "../executions.store";
import { archiveKey } from "./archive-keys";
import { failArchive, findArchive, keepArchive } from "./archives.store";
import { archiveStream } from "./contents";
import { measured } from "./zip";

const ExecutionPayload = z.object({ execution_id: z.int() });

interface Deps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly key: KeyObject | undefined;
}

/**
 * Write the archive into the store as it is made. An attempt that fails leaves the archive `failed`, with the
 * reason, until the next one; the store shows a new archive only when it is whole.
 */
export const makeArchiveTask =
  ({ db, store, clock, key }: Deps): Task =>
  async (payload, signal) => {
    const { execution_id } = ExecutionPayload.parse(payload);
    const [execution, row] = await Promise.all([
      findExecution(db, execution_id),
      findArchive(db, execution_id),
    ]);
    // Deleted, it may be after an attempt that was killed between the writing and the record of it.
    if (!execution || !row) return store.deletePrefix(archiveKey(execution_id));
    if (row.made_revision === row.revision) return;
    try {
      if (!key) throw new Error("No key is configured to sign archives (ARCHIVE_SIGNING_KEY).");
      const at = clock.now();
      const { stream, sum } = measured(await archiveStream({ db, store, key }, execution, at));
      await store.writeStream(archiveKey(execution_id), stream, "application/zip", signal);
      const kept = await keepArchive(db, execution_id, { revision: row.revision, at, ...(await sum) });
      // Deleted meanwhile: what was written after the deletion must go too.
      if (!kept) await store.deletePrefix(archiveKey(execution_id));
    } catch (error) {
      await failArchive(
        db,
        execution_id,
        "It could not be made. It is tried again for some hours; asking for it anew tries at once.",
      ).catch(() => undefined);
      throw error;
    }
  };
