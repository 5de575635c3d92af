import { enqueue } from "../../platform/jobs/jobs";
import type { Db } from "../../platform/postgres/db";
import { type Asset, insertAsset, lockAssetsOf, updateAsset, vehicleOwner } from "../assets";
import type { Drone } from "../drones";
import type { Part } from "./link-recorder";

/** A record without a new part for so long is joined, whatever became of its recorder. */
const ABANDONED_MS = 180_000;
/** A drone whose execution nobody ends is not dialled for ever. */
const LONGEST_EXECUTION = "1 day";

export interface FlyingDrone extends Pick<Drone, "id" | "type" | "ip" | "port" | "link_host"> {
  readonly execution_id: number;
}

/** The live drones with an execution in progress. */
export const dronesInFlight = async (db: Db): Promise<FlyingDrone[]> =>
  db("drones")
    .join("executions", "executions.drone_id", "drones.id")
    .where("executions.status", "in_progress")
    .whereRaw("executions.started_at > now() - ?::interval", [LONGEST_EXECUTION])
    .whereNull("drones.deleted_at")
    .select("drones.id", "drones.type", "drones.ip", "drones.port", "drones.link_host")
    .select({ execution_id: "executions.id" });

type PartTime = Omit<Part, "bytes">;

/**
 * The open record that a part belongs to: one for each execution, and one for each time that the vehicle is armed without
 * an execution. A record that was begun before its execution becomes the execution's; one of another execution is closed. From now
 * on it is joined when no further part comes. Undefined when the drone's row is gone.
 */
export async function recordFor(trx: Db, droneId: number, part: PartTime): Promise<Asset | undefined> {
  await lockAssetsOf(trx, droneId);
  const execution = await executionAt(trx, droneId, part);
  const owner = execution ?? (await vehicleOwner(trx, droneId));
  if (!owner) return undefined;
  const execution_id = execution?.id ?? null;
  const open = await openRecords(trx, droneId);
  const fits = (record: Asset) => record.execution_id === execution_id || record.execution_id === null;
  const record = open.find((one) => one.user_id === owner.user_id && fits(one));
  for (const other of open) if (other !== record) await closeRecord(trx, other);
  const found = record
    ? await updateAsset(trx, record.id, { execution_id })
    : await insertAsset(trx, {
        ...{ drone_id: droneId, user_id: owner.user_id, execution_id, asset_type: "logs", record: "open" },
        ...{ mime_type: "application/octet-stream", checksum: null, announced_size: null },
        file_name: fileName(new Date(part.from / 1000)),
        // No URL exists for its upload.
        url_expires_at: new Date(part.from / 1000),
      });
  if (found) await enqueueJoin(trx, found, new Date(Date.now() + ABANDONED_MS));
  return found;
}

/** Colons are not in file names of every system. */
const fileName = (at: Date): string => `flight-${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tlog`;

/** The flight is over: the drone's open records are joined now. */
export async function closeRecords(trx: Db, droneId: number): Promise<void> {
  await lockAssetsOf(trx, droneId);
  for (const record of await openRecords(trx, droneId)) await closeRecord(trx, record);
}

/** The drone's open records of executions that are over are joined at that time, unless a further part comes before. */
export async function joinEndedRecords(trx: Db, droneId: number, at: Date): Promise<void> {
  await lockAssetsOf(trx, droneId);
  const inProgress = trx("executions").where({ drone_id: droneId, status: "in_progress" }).select("id");
  const open = await openRecords(trx, droneId)
    .whereNotNull("execution_id")
    .whereNotIn("execution_id", inProgress);
  for (const record of open) await enqueueJoin(trx, record, at);
}

/** Takes no further part; the job joins it. Undefined when it was joined or deleted. */
export const endRecord = async (trx: Db, id: number): Promise<Asset | undefined> =>
  (
    await trx<Asset>("assets")
      .where({ id })
      .whereIn("record", ["open", "closed"])
      .update({ record: "closed" } as never)
      .returning("*")
  )[0] as Asset | undefined;

/** Counts a part's bytes. Returns those of the record so far. */
export const addBytes = async (db: Db, id: number, bytes: number): Promise<number> => {
  const sum = { size: db.raw("coalesce(size, 0) + ?", [bytes]) };
  const [row] = await db("assets")
    .where({ id })
    .update(sum as never)
    .returning("size");
  return Number(row?.size ?? 0);
};

/** The joined records of a drone, from the newest back, that are beyond so many bytes together. */
export async function recordsBeyond(trx: Db, { drone_id }: Asset, bytes: number): Promise<number[]> {
  const { rows } = await trx.raw(
    `SELECT id FROM (
       SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM assets
       WHERE drone_id = ? AND record = 'joined') AS records
     WHERE total > ?`,
    [drone_id, bytes],
  );
  return rows.map(({ id }: { id: number }) => id);
}

async function closeRecord(trx: Db, record: Asset): Promise<void> {
  if (await endRecord(trx, record.id)) await enqueueJoin(trx, record, undefined);
}

const openRecords = (db: Db, droneId: number) =>
  db<Asset>("assets").where({ drone_id: droneId, record: "open" }).orderBy("id", "desc");

/** The execution that was in progress, in which the part begins, or that begins during the part. */
const executionAt = async (
  db: Db,
  droneId: number,
  { from, to, execution }: PartTime,
): Promise<{ id: number; user_id: number } | undefined> =>
  db("executions")
    .where({ drone_id: droneId })
    .modify((query) => {
      if (execution !== undefined) query.where({ id: execution });
      else
        query
          .where("started_at", "<=", new Date(to / 1000))
          .whereRaw("(completed_at IS NULL OR completed_at >= ?)", [new Date(from / 1000)])
          .orderByRaw("(started_at <= ?) DESC, id DESC", [new Date(from / 1000)]);
    })
    .first("id", "user_id");

/** In place of an earlier request. */
const enqueueJoin = (trx: Db, { id, drone_id, user_id }: Asset, runAt: Date | undefined): Promise<void> =>
  enqueue(trx, {
    task: "join-record",
    payload: { asset_id: id, drone_id },
    user: user_id,
    key: `join-record:${id}`,
    ...(runAt && { runAt }),
  });
