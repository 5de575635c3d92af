import type { Knex } from "knex";
import type { Ipv4 } from "../../domain/ipv4";
import type { Db } from "../../platform/postgres/db";

/** A user's address in the user plane, null without one; undefined when there is no such user. */
export async function addressOfUser(db: Db, userId: number): Promise<Ipv4 | null | undefined> {
  const user: { ip: Ipv4 | null } | undefined = await db("users").where({ id: userId }).first("ip");
  return user?.ip;
}

export interface RotatedKey {
  readonly id: number;
  readonly ip: Ipv4;
  readonly vpn_key_id: string;
}

/** Gives a user another VPN key. Undefined when no user of this name has an address. */
export const rotateUserKey = (db: Db, username: string): Promise<RotatedKey | undefined> =>
  rotateKey(db, db("users").whereRaw("lower(username) = lower(?)", [username]));

/** Gives a drone another VPN key. Undefined when no live physical drone has this id. */
export const rotateDroneKey = (db: Db, id: number): Promise<RotatedKey | undefined> =>
  rotateKey(db, db("drones").where({ id, type: "physical", deleted_at: null }));

const rotateKey = async (db: Db, rows: Knex.QueryBuilder): Promise<RotatedKey | undefined> =>
  (
    await rows
      .whereNotNull("ip")
      .update({ vpn_key_id: db.raw("gen_random_uuid()"), updated_at: db.fn.now() })
      .returning(["id", "ip", "vpn_key_id"])
  )[0];
