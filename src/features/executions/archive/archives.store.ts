import type { Db } from "../../../platform/postgres/db";

/**
 * pending: being made. ready: in the store. failed: it could not be made; it is tried again for some hours, and at
 * once when it is asked for anew.
 */
export interface ArchiveRow {
  readonly execution_id: number;
  /** Raised by whatever changes the contents; an archive of an older one is out of date. */
  readonly revision: number;
  readonly made_revision: number | null;
  readonly status: "pending" | "ready" | "failed";
  /** Bytes. */
  readonly size: number | null;
  readonly sha256: string | null;
  readonly error: string | null;
  readonly requested_at: Date;
  readonly made_at: Date | null;
}

const archives = (db: Db) => db<ArchiveRow>("archives");

export const findArchive = async (db: Db, executionId: number): Promise<ArchiveRow | undefined> =>
  archives(db).where({ execution_id: executionId }).first();

/**
 * anew: another revision, whatever there is. what is not made yet: the revision that there is; were it raised by
 * whoever looks, an archive that somebody waits for would be out of date each time it is made.
 */
export type Wanted = "anew" | "what is not made yet";

/** The archive as requested: its row is made, or due again. */
export async function requestArchive(
  trx: Db,
  executionId: number,
  what: Wanted,
  at: Date,
): Promise<ArchiveRow> {
  const { rows } = await trx.raw(
    `INSERT INTO archives (execution_id, requested_at) VALUES (?, ?)
     ON CONFLICT (execution_id) DO UPDATE
       SET status = 'pending', error = NULL, requested_at = excluded.requested_at,
           revision = archives.revision + ?::int
     RETURNING *`,
    [executionId, at, what === "anew" ? 1 : 0],
  );
  return rows[0];
}

/** What it would hold has changed. */
export const outdateArchive = async (trx: Db, executionId: number): Promise<void> => {
  await archives(trx)
    .where({ execution_id: executionId })
    .update({ revision: trx.raw("revision + 1") as never });
};

/** Returns false when the execution is gone. */
export const keepArchive = async (
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
