import type { Db } from "../../platform/postgres/db";

export type AssetType = "video" | "image" | "logs";

/**
 * pending: a URL for its upload is out. ready: what arrived is whole. failed: nothing arrived, or something
 * else; a new URL makes it pending again, and completing it once more may find it whole.
 */
export type AssetStatus = "pending" | "ready" | "failed";

/** none → pending (a video that is whole) → ready, or failed when ffmpeg cannot read it. */
export type StreamState = "none" | "pending" | "ready" | "failed";

export interface Asset {
  readonly id: number;
  readonly drone_id: number;
  /** Owner of the drone when the asset was made. */
  readonly user_id: number;
  readonly execution_id: number | null;
  readonly asset_type: AssetType;
  /** As the drone named it; see `safeFileName` before using it as a path. */
  readonly file_name: string;
  readonly mime_type: string | null;
  /** What the drone said: a SHA-256 or an MD5, hex in lower case. */
  readonly checksum: string | null;
  readonly status: AssetStatus;
  readonly failure: string | null;
  /** Bytes. */
  readonly size: number | null;
  /** Of what arrived. */
  readonly sha256: string | null;
  readonly thumbnail: boolean;
  readonly stream: StreamState;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  /** When the last URL for its upload ends. */
  readonly url_expires_at: Date;
}

export type NewAsset = Pick<
  Asset,
  | "drone_id"
  | "user_id"
  | "execution_id"
  | "asset_type"
  | "file_name"
  | "mime_type"
  | "checksum"
  | "url_expires_at"
>;

const assets = (db: Db) => db<Asset>("assets");

/** Any number, the same for every version. */
const LOCK_CLASS = 727_175;

/**
 * Until the transaction ends nobody else begins, settles, moves or deletes an asset of this drone. Taken before
 * any row is held: an asset and its execution are found together and stay together, and no two wait for each other.
 */
export const lockAssetsOf = async (trx: Db, droneId: number): Promise<void> => {
  await trx.raw("SELECT pg_advisory_xact_lock(?::int, ?::int)", [LOCK_CLASS, droneId]);
};

/** The same drone's file of the same name and content, that has arrived. */
export const findArrived = async (db: Db, { drone_id, file_name, checksum }: NewAsset) =>
  checksum === null
    ? undefined
    : assets(db).where({ drone_id, file_name, checksum, status: "ready" }).first();

/**
 * The asset whose upload this request begins anew. Without a checksum two files of one name are the same only
 * within one execution: every flight has a `log.bin`. So is a file that failed there, whatever is announced of it
 * now: a log that was still written to has another checksum the next time.
 */
export const findUnfinished = async (db: Db, wish: NewAsset): Promise<Asset | undefined> =>
  (await findSameUnfinished(db, wish)) ?? (wish.execution_id === null ? undefined : findFailed(db, wish));

const findFailed = async (
  db: Db,
  { drone_id, execution_id, asset_type, file_name }: NewAsset,
): Promise<Asset | undefined> =>
  assets(db)
    .where({ drone_id, execution_id, asset_type, file_name, status: "failed" })
    .orderBy("id", "desc")
    .forUpdate()
    .first();

const findSameUnfinished = async (db: Db, wish: NewAsset): Promise<Asset | undefined> =>
  assets(db)
    .where({ drone_id: wish.drone_id, file_name: wish.file_name, checksum: wish.checksum })
    .whereNot({ status: "ready" })
    .modify((query) => {
      if (wish.checksum === null || wish.execution_id !== null)
        query.where((either) => {
          either.where({ execution_id: wish.execution_id });
          if (wish.checksum !== null) either.orWhereNull("execution_id");
        });
    })
    .orderBy("id", "desc")
    .forUpdate()
    .first();

export const insertAsset = async (db: Db, asset: NewAsset): Promise<Asset> =>
  (await assets(db).insert(asset).returning("*"))[0] as Asset;

/** Returns the asset as it is now, or undefined when it is gone or, with `unless`, already in that state. */
export const updateAsset = async (
  db: Db,
  id: number,
  changes: Partial<Omit<Asset, "id">>,
  unless?: AssetStatus,
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

/** What a drone brought back for one of its owners. */
export interface Brought {
  readonly drone_id: number;
  readonly user_id: number;
}

/** Newest first. */
export const assetsOfDrone = async (db: Db, brought: Brought, type?: AssetType): Promise<Asset[]> =>
  assets(db)
    .where({ ...brought, ...(type ? { asset_type: type } : {}) })
    .orderBy("id", "desc");

/** In the order of their making. */
export const assetsOfExecution = async (db: Db, executionId: number): Promise<Asset[]> =>
  assets(db).where({ execution_id: executionId }).orderBy("id");

/** The executions that these assets of a drone belong to, in order. */
export const executionsOf = async (db: Db, brought: Brought, ids: readonly number[]): Promise<number[]> =>
  db("assets")
    .where(brought)
    .whereIn("id", ids)
    .whereNotNull("execution_id")
    .distinct("execution_id")
    .orderBy("execution_id")
    .pluck("execution_id");

export const deleteAssets = async (
  trx: Db,
  where: Brought | { execution_id: number },
  ids?: readonly number[],
): Promise<Asset[]> =>
  assets(trx)
    .where(where)
    .modify((query) => void (ids && query.whereIn("id", ids)))
    .delete()
    .returning("*");

/** Whose a vehicle is, a deleted one too: what it brought back stays its owner's. */
export const vehicleOwner = async (db: Db, id: number): Promise<{ user_id: number } | undefined> =>
  db("drones").where({ id }).first("user_id");

export interface VehicleCounts extends Record<AssetType, number> {
  readonly vehicle_id: number;
  readonly name: string;
  readonly total: number;
}

/** Every live vehicle of a user, and the deleted ones that left something. */
export async function countAssets(db: Db, userId: number): Promise<VehicleCounts[]> {
  const { rows } = await db.raw(
    `SELECT d.id AS vehicle_id, d.name,
       count(*) FILTER (WHERE a.asset_type = 'video') AS video,
       count(*) FILTER (WHERE a.asset_type = 'image') AS image,
       count(*) FILTER (WHERE a.asset_type = 'logs') AS logs,
       count(a.id) AS total
     FROM drones d LEFT JOIN assets a ON a.drone_id = d.id AND a.user_id = d.user_id
     WHERE d.user_id = ? GROUP BY d.id HAVING d.deleted_at IS NULL OR count(a.id) > 0 ORDER BY d.id`,
    [userId],
  );
  return rows;
}
