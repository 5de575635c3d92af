import { type Capability, mayInSql } from "../../domain/access";
import type { Ipv4 } from "../../domain/ipv4";
import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import { DroneColumns, type DroneType } from "./drones.schema";

/** A row of `drones`. A deleted one keeps its row, but neither address nor tokens nor mission. */
export interface Drone extends RowOf<typeof DroneColumns> {
  readonly ip: Ipv4 | null;
  /** Ten digits, until it is used. */
  readonly activation_token: string | null;
  /** Identifies the drone's VPN key. A new row and a rotated key get a new id. */
  readonly vpn_key_id: string;
  readonly deleted_at: Date | null;
}

/** Columns with a default in the schema may be left out. */
export type NewDrone = Pick<Drone, "user_id" | "name" | "type" | "vehicle_type" | "ip" | "port"> &
  DroneChanges;

export type DroneChanges = Partial<
  Omit<Drone, "id" | "user_id" | "vehicle_type" | "created_at" | "updated_at">
>;

/** By name: a prepared statement that selects `*` fails once a migration has added a column. */
const columns = [...DroneColumns.keyof().options, "activation_token", "vpn_key_id", "deleted_at"] as const;

/** `droneFor` as a part of a statement: of the drone's id and the user's. */
export const selectDroneFor = (capability: Capability): string =>
  `SELECT ${columns.join(", ")} FROM drones WHERE id = ? AND ${mayInSql(capability)}`;

const live = (db: Db) => db<Drone>("drones").whereNull("deleted_at");

/** A live drone of any user. */
export const findDrone = async (db: Db, id: number): Promise<Drone | undefined> =>
  live(db).where({ id }).first();

/** The live drones of any users among these. */
export const findDrones = async (db: Db, ids: readonly number[]): Promise<Drone[]> =>
  live(db).whereIn("id", [...ids]);

/** The live drone, of either type, that has this address. */
export const findDroneByIp = async (db: Db, ip: string): Promise<Drone | undefined> =>
  live(db).where("ip", ip).first();

/** Every live drone of all users. */
export const liveDrones = async (db: Db): Promise<Drone[]> => live(db);

/** A user's live drones, oldest first. */
export const dronesOf = async (db: Db, userId: number): Promise<Drone[]> =>
  live(db).where({ user_id: userId }).orderBy("id");

/** The ids of a user's live drones, oldest first. */
export async function droneIdsOf(db: Db, userId: number): Promise<readonly number[]> {
  const query = db.raw(
    "SELECT coalesce(json_agg(id ORDER BY id), '[]') AS ids FROM drones WHERE deleted_at IS NULL AND user_id = ?",
    [userId],
  );
  return (await query.options({ name: "drone ids of user" })).rows[0].ids;
}

/** As `toDroneReply` and JSON write them, made by Postgres: parsing rows and writing them again is most of a request's work. */
const selectReplies = `
  SELECT coalesce(json_agg(drone ORDER BY drone.id), '[]')::text AS json
  FROM (
    SELECT id, user_id, name, type, vehicle_type, mission_id, ip, port, link, link_host, video_room_token,
      to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
      to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at
    FROM drones WHERE deleted_at IS NULL AND user_id = ?`;

/** A user's live drones, or those of them that use the mission, oldest first, as a JSON array of the API's replies. */
export async function dronesOfJson(db: Db, userId: number, missionId?: number): Promise<string> {
  const query =
    missionId === undefined
      ? db.raw(`${selectReplies}) AS drone`, [userId]).options({ name: "drones of user" })
      : db.raw(`${selectReplies} AND mission_id = ?) AS drone`, [userId, missionId]);
  return (await query).rows[0].json;
}

/** Live drones of a user by type, without the one that is about to change. */
export async function countDrones(
  db: Db,
  userId: number,
  except?: number,
): Promise<Readonly<Record<DroneType, number>>> {
  const rows: { type: DroneType; count: number }[] = await live(db)
    .where({ user_id: userId })
    .modify((query) => void (except === undefined || query.whereNot({ id: except })))
    .groupBy("type")
    .select("type", db.raw("count(*) as count"));
  const of = (type: DroneType) => rows.find((row) => row.type === type)?.count ?? 0;
  return { physical: of("physical"), sitl: of("sitl") };
}

/**
 * Locks a user's row until the transaction ends, so that two requests do not count the user's vehicles at the same
 * time. Returns whether the user exists.
 */
export const lockUser = async (trx: Db, userId: number): Promise<boolean> =>
  (await trx("users").where({ id: userId }).forNoKeyUpdate().first("id")) !== undefined;

/** A live drone, held until the transaction ends. */
export const lockDrone = async (trx: Db, id: number): Promise<Drone | undefined> =>
  live(trx).where({ id }).forUpdate().first();

export const insertDrone = async (db: Db, drone: NewDrone): Promise<Drone> =>
  (await db<Drone>("drones").insert(drone).returning("*"))[0] as Drone;

export const updateDrone = async (db: Db, id: number, changes: DroneChanges): Promise<Drone> =>
  (
    await db<Drone>("drones")
      .where({ id })
      .update({ ...changes, updated_at: db.fn.now() } as never)
      .returning("*")
  )[0] as Drone;

const simulatedAt = `FROM drones
  WHERE type = 'sitl' AND port = offered AND (link_host IS NULL OR lower(link_host) = lower(:host))`;

/** Until the transaction ends no other that locks them gives a port of the simulator to a drone. */
export const lockSimulatorPorts = async (trx: Db): Promise<void> =>
  void (await trx.raw("select pg_advisory_xact_lock(hashtext('simulator ports'))"));

/**
 * Of the ports of the simulator at `host`, the one that the fewest drones have, and of those the one that was left
 * first. `isFree`: no drone has it. The caller's transaction holds a lock against others that choose.
 */
export async function leastUsedPort(
  trx: Db,
  host: string,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<{ readonly port: number; readonly isFree: boolean }> {
  const { rows } = await trx.raw(
    `SELECT offered AS port, drones = 0 AS "isFree"
     FROM generate_series(:first::integer, :last::integer) AS offered CROSS JOIN LATERAL (
       SELECT count(*) AS drones ${simulatedAt} AND deleted_at IS NULL) AS live
     ORDER BY drones, (SELECT max(deleted_at) ${simulatedAt}) NULLS FIRST, offered LIMIT 1`,
    { host, first, last },
  );
  return rows[0];
}

/** Whether a live drone of another user has this port of the simulator at `host`. */
export async function isOthersPort(db: Db, host: string, port: number, userId: number): Promise<boolean> {
  const { rows } = await db.raw(
    `SELECT EXISTS (SELECT FROM (SELECT :port::integer AS offered) AS asked CROSS JOIN LATERAL (
       SELECT user_id ${simulatedAt} AND deleted_at IS NULL) AS drone WHERE drone.user_id <> :userId) AS taken`,
    { host, port, userId },
  );
  return rows[0].taken;
}

/** Soft-deletes a drone and its tokens. A trigger releases its address, which no other user gets for a day. */
export const retireDrone = async (db: Db, id: number, at: Date): Promise<Drone> =>
  updateDrone(db, id, {
    deleted_at: at,
    ip: null,
    mission_id: null,
    activation_token: null,
    video_room_token: null,
  });
