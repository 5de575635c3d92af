import { z } from "zod";
import { cancelJob, enqueue } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetFolder, uploadFolder } from "./asset-names";
import type { Asset } from "./assets.store";

/** Time for the request that deleted the rows to delete the objects too. */
const HEAD_START_MS = 60_000;

export interface Removal {
  /** Deletes the objects now. Never rejects: objects that the store does not delete are left to the job. */
  finish(db: Db, store: ObjectStore, log: Logger): Promise<void>;
}

/**
 * Call it in the transaction that deletes the rows. It enqueues a job that deletes their objects a minute later;
 * `finish` deletes them at once and withdraws the job. What comes later, by a PUT that began while its URL worked, is a
 * leftover.
 */
export async function beginRemoval(
  trx: Db,
  user: number,
  deleted: readonly Asset[],
  otherPrefixes: readonly string[] = [],
): Promise<Removal> {
  // The upload of a ready asset was deleted at its completion.
  const uploads = deleted.filter(({ status }) => status !== "ready");
  const prefixes = [...deleted.map(assetFolder), ...uploads.map(uploadFolder), ...otherPrefixes];
  if (prefixes.length === 0) return { finish: async () => undefined };
  const key = `remove-objects:${prefixes[0]}`;
  const runAt = new Date(Date.now() + HEAD_START_MS);
  await enqueue(trx, { task: "remove-objects", payload: { prefixes }, user, key, runAt });
  return {
    finish: async (db, store, log) => {
      try {
        for (const prefix of prefixes) await store.deletePrefix(prefix);
        await cancelJob(db, key);
      } catch (error) {
        log.warn({ err: error, prefixes }, "Objects of deleted rows are left to a job");
      }
    },
  };
}

const Payload = z.object({ prefixes: z.array(z.string().regex(/^(assets|uploads|archives)\/\d+/)) });

export const removeObjectsTask =
  (store: ObjectStore): Task =>
  async (payload) => {
    for (const prefix of Payload.parse(payload).prefixes) await store.deletePrefix(prefix);
  };
