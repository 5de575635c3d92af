import { z } from "zod";
import type { Task } from "../../../platform/jobs/worker";
import { findExecution } from "../executions.store";
import { archiveKey } from "./archive-keys";
import type { ArchiveDeps } from "./archives.service";
import { failArchive, findArchive, saveArchive } from "./archives.store";
import { archiveStream } from "./contents";
import { withChecksum } from "./zip";

const ExecutionPayload = z.object({ execution_id: z.int() });

/**
 * Streams the archive into the store, which shows it only when it is complete. After a failed attempt the archive is
 * `failed`, with the reason, until the next attempt.
 */
export const makeArchiveTask =
  ({ db, store, clock, key }: ArchiveDeps): Task =>
  async (payload, signal) => {
    const { execution_id } = ExecutionPayload.parse(payload);
    const [execution, row] = await Promise.all([
      findExecution(db, execution_id),
      findArchive(db, execution_id),
    ]);
    // The execution was deleted, perhaps after an attempt that stored the archive and was killed.
    if (!execution || !row) return store.deletePrefix(archiveKey(execution_id));
    if (row.made_revision === row.revision) return;
    try {
      if (!key) throw new Error("No signing key for archives is configured (ARCHIVE_SIGNING_KEY).");
      const at = clock.now();
      const { stream, sum } = withChecksum(await archiveStream({ db, store, key }, execution, at));
      await store.writeStream(archiveKey(execution_id), stream, "application/zip", signal);
      const kept = await saveArchive(db, execution_id, { revision: row.revision, at, ...(await sum) });
      // The execution was deleted meanwhile, before the archive was stored.
      if (!kept) await store.deletePrefix(archiveKey(execution_id));
    } catch (error) {
      await failArchive(
        db,
        execution_id,
        "The archive could not be made. It is retried for some hours; a new request retries at once.",
      ).catch(() => undefined);
      throw error;
    }
  };
