import { z } from "zod";
import { enqueue, withdraw } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetFolder } from "./asset-names";
import type { Asset } from "./assets.store";

/** Long enough for whoever deleted the rows to delete the objects as well, which is the rule. */
const HEAD_START_MS = 60_000;

export interface Removal {
  /** Delete the objects now. What the store refuses is left to the job, so that it never rejects. */
  finish(db: Db, store: ObjectStore, log: Logger): Promise<void>;
}

/**
 * In the transaction that deletes the rows: make sure that their objects go too. A job is due shortly that
 * deletes them, and `finish` spares it the work.
 */
export async function beginRemoval(
  trx: Db,
  gone: readonly Asset[],
  otherPrefixes: readonly string[] = [],
): Promise<Removal> {
  const prefixes = [...gone.map(assetFolder), ...otherPrefixes];
  if (prefixes.length === 0) return { finish: async () => undefined };
  const key = `remove-objects:${prefixes[0]}`;
  const runAt = new Date(Date.now() + HEAD_START_MS);
  await enqueue(trx, { task: "remove-objects", payload: { prefixes }, key, runAt });
  await removeLateUploads(trx, gone);
  return {
    finish: async (db, store, log) => {
      try {
        for (const prefix of prefixes) await store.deletePrefix(prefix);
        await withdraw(db, key);
      } catch (error) {
        log.warn({ err: error, prefixes }, "deleted objects are left to a job");
      }
    },
  };
}

/** An upload URL that is out still works after its asset is deleted: what comes through it must go as well. */
async function removeLateUploads(trx: Db, gone: readonly Asset[]): Promise<void> {
  const late = gone.filter(({ url_expires_at }) => url_expires_at.getTime() > Date.now());
  if (late.length === 0) return;
  const last = Math.max(...late.map(({ url_expires_at }) => url_expires_at.getTime()));
  await enqueue(trx, {
    task: "remove-objects",
    payload: { prefixes: late.map(assetFolder) },
    runAt: new Date(last + HEAD_START_MS),
  });
}

const Payload = z.object({ prefixes: z.array(z.string().regex(/^(assets|archives)\/\d+/)) });

export const removeObjectsTask =
  (store: ObjectStore): Task =>
  async (payload) => {
    for (const prefix of Payload.parse(payload).prefixes) await store.deletePrefix(prefix);
  };
