import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Task } from "../../platform/jobs/worker";
import type { StoredObject } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import {
  type Asset,
  assetFolder,
  assetKey,
  beginRemoval,
  deleteAssets,
  findAsset,
  lockAssetsOf,
  updateAsset,
} from "../assets";
import { executionHooks } from "../executions";
import { partsFolder } from "./record-writer";
import { endRecord, recordsBeyond } from "./records.store";

type Deps = Pick<Services, "db" | "store" | "clock">;

/** Of one drone's records the newest are kept: hundreds of hours at the rates that we ask for. */
const MAX_DRONE_BYTES = 10_000_000_000;

const Payload = z.object({ asset_id: z.int(), drone_id: z.int() });

/** Joins a record's parts into one object, and deletes them. A record without any part is deleted. Safe to repeat. */
export const joinRecordTask =
  (deps: Deps): Task =>
  async (payload, signal) => {
    const { asset_id, drone_id } = Payload.parse(payload);
    const { db, store } = deps;
    const folder = partsFolder({ drone_id, id: asset_id });
    const record = await endRecord(db, asset_id);
    if (record) {
      const parts = await store.list(folder);
      if (parts.length > 0) await join(deps, record, parts, signal);
      else await db.transaction((trx) => change(trx, record, deps.clock.now(), removed));
    }
    await store.deletePrefix(
      (await findAsset(db, asset_id)) ? folder : assetFolder({ drone_id, id: asset_id }),
    );
  };

async function join(
  { db, store, clock }: Deps,
  record: Asset,
  parts: readonly StoredObject[],
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash("sha256");
  let size = 0;
  const content = async function* () {
    for (const { key, version } of parts) {
      for await (const chunk of (await store.read(key, version)) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    }
  };
  const body = Readable.from(content(), { objectMode: false });
  await store.writeStream(assetKey(record), body, "application/octet-stream", signal);
  const etag = (await store.head(assetKey(record)))?.etag ?? null;
  const now = clock.now();
  const ready = { status: "ready", record: "joined", size, sha256: hash.digest("hex"), etag } as const;
  await db.transaction(async (trx) => {
    await change(trx, record, now, (_, { id }) => updateAsset(trx, id, { ...ready, completed_at: now }));
    await removeOld(trx, record, now);
  });
}

async function removeOld(trx: Db, record: Asset, now: Date): Promise<void> {
  const { drone_id, user_id } = record;
  const old = await recordsBeyond(trx, record, MAX_DRONE_BYTES);
  const deleted = await deleteAssets(trx, { drone_id, user_id }, old);
  for (const asset of deleted) await executionHooks.assetChanged(trx, asset, now);
  await beginRemoval(trx, user_id, deleted);
}

const removed = async (trx: Db, { id, drone_id, user_id }: Asset): Promise<Asset | undefined> =>
  (await deleteAssets(trx, { drone_id, user_id }, [id]))[0];

/** Changes a record, with what follows for its execution, which may have changed meanwhile. */
async function change(
  trx: Db,
  { id, drone_id }: Asset,
  now: Date,
  apply: (trx: Db, record: Asset) => Promise<Asset | undefined>,
): Promise<void> {
  await lockAssetsOf(trx, drone_id);
  const record = await findAsset(trx, id);
  if (!record) return;
  if (record.execution_id !== null) await executionHooks.lock(trx, record.execution_id);
  const changed = await apply(trx, record);
  if (changed) await executionHooks.assetChanged(trx, changed, now);
}
