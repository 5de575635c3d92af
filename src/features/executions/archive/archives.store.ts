import type { Db } from "../../../platform/postgres/db";
import type { RowOf } from "../../../platform/postgres/row-of";
import type { ArchiveReply } from "../executions.schema";

/**
 * pending: being made. ready: in the store. failed: it could not be made; a job retries for some hours, and a new
 * request at once.
 */
export interface ArchiveRow extends Omit<RowOf<typeof ArchiveReply>, "url" | "expires_at"> {
  /** Raised by each change of the contents. An archive of an older revision is out of date. */
  readonly revision: number;
  readonly made_revision: number | null;
  readonly requested_at: Date;
}

const archives = (db: Db) => db<ArchiveRow>("archives");

export const findArchive = async (db: Db, executionId: number): Promise<ArchiveRow | undefined> =>
  archives(db).where({ execution_id: executionId }).first();

/**
 * build: the current revision, if it is not built yet. rebuild: a new revision. A client that polls must not raise the
 * revision, or its archive would be out of date each time it is built.
 */
export type ArchiveRequest = "build" | "rebuild";

/** Creates the archive's row, or marks it as pending again. */
export async function requestArchive(
  trx: Db,
  executionId: number,
  request: ArchiveRequest,
  at: Date,
): Promise<ArchiveRow> {
  const { rows } = await trx.raw(
    `INSERT INTO archives (execution_id, requested_at) VALUES (?, ?)
     ON CONFLICT (execution_id) DO UPDATE
       SET status = 'pending', error = NULL, requested_at = excluded.requested_at,
           revision = archives.revision + ?::int
     RETURNING *`,
    [executionId, at, request === "rebuild" ? 1 : 0],
  );
  return rows[0];
}

/** The contents have changed. */
export const invalidateArchive = async (trx: Db, executionId: number): Promise<void> => {
  await archives(trx)
    .where({ execution_id: executionId })
    .update({ revision: trx.raw("revision + 1") as never });
};

/** Returns false when the execution was deleted. */
export const saveArchive = async (
  db: Db,
  executionId: number,
  made: { revision: number; size: number; sha256: string; at: Date },
): Promise<boolean> =>
  (await archives(db).where({ execution_id: executionId }).update({
    status: "ready",
    made_revision: made.revision,
    size: made.size,
    sha256: made.sha256,
    made_at: made.at,
    error: null,
  })) === 1;

export const failArchive = async (db: Db, executionId: number, error: string): Promise<void> => {
  await archives(db).where({ execution_id: executionId }).update({ status: "failed", error });
};
