import type { Db } from "../../platform/postgres/db";

/** A room's keys: `pin` to join it, `secret` to change or end it. */
export interface RoomKeys {
  readonly pin: string;
  readonly secret: string;
}

interface RoomRow {
  readonly drone_id: number;
  readonly pin: string | null;
  readonly secret: string | null;
  readonly held_until: Date;
}

/**
 * Locks a drone's room for at most `seconds`. Returns the keys of its last room, or undefined while another process
 * holds the lock.
 */
export async function lockRoom(
  db: Db,
  droneId: number,
  seconds: number,
): Promise<{ keys: RoomKeys | undefined } | undefined> {
  const [row] = await db<RoomRow>("video_rooms")
    .insert({ drone_id: droneId, held_until: db.raw("now() + ? * interval '1 second'", [seconds]) as never })
    .onConflict("drone_id")
    .merge(["held_until"])
    .where("video_rooms.held_until", "<=", db.fn.now())
    .returning(["pin", "secret"]);
  if (!row) return undefined;
  return { keys: row.pin === null || row.secret === null ? undefined : { pin: row.pin, secret: row.secret } };
}

export const unlockRoom = async (db: Db, droneId: number): Promise<void> => {
  await db("video_rooms").where({ drone_id: droneId }).update({ held_until: db.fn.now() });
};

export const saveKeys = async (db: Db, droneId: number, keys: RoomKeys | undefined): Promise<void> => {
  await db("video_rooms")
    .where({ drone_id: droneId })
    .update(keys ?? { pin: null, secret: null });
};
