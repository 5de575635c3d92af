import type { z } from "zod";
import type { Page } from "../../http/route";
import type { ObjectVersion } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { AssetCounts, AssetReply, AssetType } from "./assets.schema";
import type { Content } from "./content-check";

export interface Asset extends Omit<RowOf<typeof AssetReply>, "thumbnail_url" | "recorded"> {
  /** Bytes that the drone announced. */
  readonly announced_size: number | null;
  /** The store's name for what arrived; null for uploads of earlier versions. */
  readonly etag: string | null;
  /** What a failed upload was found to be: the same object is not read again. */
  readonly checked: (Content & Pick<ObjectVersion, "etag">) | null;
  readonly thumbnail: boolean;
  /** When the last URL for its upload ends. */
  readonly url_expires_at: Date;
  /**
   * Of a flight record, which the gateway writes of the link; null for what a drone uploads.
   * open → closed (takes no further part) → joined (ready).
   */
  readonly record: "open" | "closed" | "joined" | null;
}

/** The object that `complete` checked. */
export const versionOf = ({ size, etag }: Asset): ObjectVersion => ({ size: size ?? 0, etag });

export type NewAsset = Pick<
  Asset,
  | "drone_id"
  | "user_id"
  | "execution_id"
  | "asset_type"
  | "file_name"
  | "mime_type"
  | "checksum"
  | "announced_size"
  | "url_expires_at"
> &
  Partial<Pick<Asset, "record">>;

const assets = (db: Db) => db<Asset>("assets");

/** Any numbers, the same for every version. */
const LOCK_CLASS = 727_175;
const USER_LOCK_CLASS = 727_176;

/**
 * Until the transaction ends no other one changes an asset of this drone. Taken before any row is locked, so that an
 * asset and its execution are read together, and no two transactions wait for each other.
 */
export const lockAssetsOf = async (trx: Db, droneId: number): Promise<void> => {
  await trx.raw("SELECT pg_advisory_xact_lock(?::int, ?::int)", [LOCK_CLASS, droneId]);
};

/**
 * Until the transaction ends no other one adds to the bytes that this user stores. Taken after the drone's lock and its
 * execution's, and before any asset's row.
 */
export const lockBytesOf = async (trx: Db, userId: number): Promise<void> => {
  await trx.raw("SELECT pg_advisory_xact_lock(?::int, ?::int)", [USER_LOCK_CLASS, userId]);
};

/** A ready asset of the same drone with the same name and content. */
export const findReady = async (db: Db, { drone_id, file_name, checksum }: NewAsset) =>
  checksum === null
    ? undefined
    : assets(db).where({ drone_id, file_name, checksum, status: "ready", record: null }).first();

/**
 * The asset whose upload this request repeats. Without a checksum, files of one name are the same within one execution
 * only: every flight has a `log.bin`. Within an execution a failed file is the same whatever its new checksum: a log
 * that was still written during the upload has another one the next time.
 */
export const findUnfinished = async (db: Db, asset: NewAsset): Promise<Asset | undefined> =>
  (await findSameUnfinished(db, asset)) ?? (asset.execution_id === null ? undefined : findFailed(db, asset));

const findFailed = async (
  db: Db,
  { drone_id, execution_id, asset_type, file_name }: NewAsset,
): Promise<Asset | undefined> =>
  assets(db)
    .where({ drone_id, execution_id, asset_type, file_name, status: "failed", record: null })
    .orderBy("id", "desc")
    .forUpdate()
    .first();

const findSameUnfinished = async (db: Db, asset: NewAsset): Promise<Asset | undefined> =>
  assets(db)
    .where({
      ...{ drone_id: asset.drone_id, file_name: asset.file_name, checksum: asset.checksum },
      record: null,
    })
    .whereNot({ status: "ready" })
    .modify((query) => {
      if (asset.checksum === null || asset.execution_id !== null)
        query.where((either) => {
          either.where({ execution_id: asset.execution_id });
          if (asset.checksum !== null) either.orWhereNull("execution_id");
        });
    })
    .orderBy("id", "desc")
    .forUpdate()
    .first();

/** SQL: the content of an upload may come while its URL works, also after a completion that failed. */
export const IS_PENDING = "status <> 'ready' AND url_expires_at > :now";

/** Bytes of a user's archives, and of the user's uploads without this one, announced ones included. */
export async function storedBytes(db: Db, userId: number, now: Date, without = 0): Promise<number> {
  const { rows } = await db.raw(
    `SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM (
       SELECT greatest(size, CASE WHEN ${IS_PENDING} THEN announced_size END) AS bytes
       FROM assets WHERE user_id = :userId AND record IS NULL AND id <> :without
       UNION ALL
       SELECT size FROM archives JOIN executions ON id = execution_id WHERE user_id = :userId) AS stored`,
    { userId, now, without },
  );
  return rows[0].bytes;
}

/** The uploads of a drone, and those that are pending. */
export async function countUploads(
  db: Db,
  { drone_id, user_id }: DroneAndOwner,
  now: Date,
): Promise<{ assets: number; pending: number }> {
  const { rows } = await db.raw(
    `SELECT count(*) AS assets, count(*) FILTER (WHERE ${IS_PENDING}) AS pending
     FROM assets WHERE user_id = :user_id AND drone_id = :drone_id AND record IS NULL`,
    { drone_id, user_id, now },
  );
  return rows[0];
}

export const insertAsset = async (db: Db, asset: NewAsset): Promise<Asset> =>
  (await assets(db).insert(asset).returning("*"))[0] as Asset;

/** Returns the changed asset. Undefined when it was deleted or, with `unless`, when it is already in that state. */
export const updateAsset = async (
  db: Db,
  id: number,
  changes: Partial<Omit<Asset, "id">>,
  unless?: Asset["status"],
): Promise<Asset | undefined> =>
  (
    await assets(db)
      .where({ id })
      .modify((query) => void (unless && query.whereNot({ status: unless })))
      .update(changes as never)
      .returning("*")
  )[0] as Asset | undefined;

export const findAsset = async (db: Db, id: number): Promise<Asset | undefined> =>
  assets(db).where({ id }).first();

/** The assets of a drone from the time of one of its owners. */
interface DroneAndOwner {
  readonly drone_id: number;
  readonly user_id: number;
}

/** Newest first. */
export const assetsOfDrone = async (
  db: Db,
  owned: DroneAndOwner,
  { limit, offset }: Page,
  type?: AssetType,
): Promise<Asset[]> =>
  assets(db)
    .where({ ...owned, ...(type ? { asset_type: type } : {}) })
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset);

/** In the order of their creation, so many at most. */
export const assetsOfExecution = async (
  db: Db,
  executionId: number,
  limit: number,
  where: Partial<Pick<Asset, "status">> = {},
): Promise<Asset[]> =>
  assets(db)
    .where({ execution_id: executionId, ...where })
    .orderBy("id")
    .limit(limit);

/** How many assets of an execution are in each state. */
export async function countByStatus(db: Db, executionId: number): Promise<Record<Asset["status"], number>> {
  const rows = await db("assets")
    .where({ execution_id: executionId })
    .groupBy("status")
    .select("status", db.raw("count(*) AS count"));
  const counted = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  return { pending: 0, ready: 0, failed: 0, ...counted };
}

const leftovers = (db: Db, before: Date) =>
  assets(db)
    .whereNot({ status: "ready" })
    .whereNull("record")
    .whereNotNull("size")
    .where("url_expires_at", "<", before);

/** Uploads that arrived and were not completed, and whose URL ended before then. */
export const leftoversBefore = async (db: Db, before: Date): Promise<Asset[]> => leftovers(db, before);

/** They count no longer: their objects are deleted. */
export const forgetLeftovers = async (db: Db, before: Date): Promise<void> => {
  await leftovers(db, before).update({ size: null, checked: null });
};

/** The log of an execution that arrived: this one, or else the newest, an upload before a record. */
export const findLog = async (db: Db, executionId: number, id: number | null): Promise<Asset | undefined> =>
  assets(db)
    .where({ execution_id: executionId, asset_type: "logs", status: "ready" })
    .orderByRaw("id = ? DESC NULLS LAST, (record IS NULL) DESC, id DESC", [id])
    .first();

/** The joined records of an execution, in the order of their times. */
export const recordsOf = async (db: Db, executionId: number): Promise<Asset[]> =>
  assets(db).where({ execution_id: executionId, record: "joined" }).orderBy("id");

/** The executions that these assets of a drone belong to, in order. */
export const executionsOf = async (db: Db, owned: DroneAndOwner, ids: readonly number[]): Promise<number[]> =>
  db("assets")
    .where(owned)
    .whereIn("id", ids)
    .whereNotNull("execution_id")
    .distinct("execution_id")
    .orderBy("execution_id")
    .pluck("execution_id");

export const deleteAssets = async (
  trx: Db,
  where: DroneAndOwner | { execution_id: number },
  ids?: readonly number[],
): Promise<Asset[]> =>
  assets(trx)
    .where(where)
    .modify((query) => void (ids && query.whereIn("id", ids)))
    .delete()
    .returning("*");

/** The owner of a vehicle, also of a deleted one, whose assets the owner keeps. */
export const vehicleOwner = async (db: Db, id: number): Promise<{ user_id: number } | undefined> =>
  db("drones").where({ id }).first("user_id");

/** The live vehicles of a user, and deleted ones that have assets: 5,000 at most. */
export async function countAssets(db: Db, userId: number): Promise<z.output<typeof AssetCounts>[]> {
  const { rows } = await db.raw(
    `SELECT d.id AS vehicle_id, d.name,
       count(*) FILTER (WHERE a.asset_type = 'video') AS video,
       count(*) FILTER (WHERE a.asset_type = 'image') AS image,
       count(*) FILTER (WHERE a.asset_type = 'logs') AS logs,
       count(a.id) AS total
     FROM drones d LEFT JOIN assets a ON a.drone_id = d.id AND a.user_id = d.user_id
     WHERE d.user_id = ? GROUP BY d.id HAVING d.deleted_at IS NULL OR count(a.id) > 0 ORDER BY d.id LIMIT 5000`,
    [userId],
  );
  return rows;
}
