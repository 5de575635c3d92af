import type { Ipv4 } from "../../domain/ipv4";
import type { Db } from "../../platform/postgres/db";

/** A live physical drone that waits to be activated. */
export interface WaitingDrone {
  readonly id: number;
  readonly ip: Ipv4;
  readonly vpn_key_id: string;
  readonly vehicle_type: "copter" | "rover";
  readonly activation_token: string;
}

const waiting = (db: Db) => db("drones").where({ type: "physical", deleted_at: null }).whereNotNull("ip");

export const findWaitingDrone = async (db: Db, token: string): Promise<WaitingDrone | undefined> =>
  waiting(db)
    .where({ activation_token: token })
    .first("id", "ip", "vpn_key_id", "vehicle_type", "activation_token");

/**
 * Clear the token, in one statement: of all who show it, one is told true. False also when the drone is not what
 * it was: deleted, another device, or with another VPN key.
 */
export const claimActivation = async (
  db: Db,
  { id, ip, vpn_key_id, activation_token }: WaitingDrone,
): Promise<boolean> =>
  (await waiting(db)
    .where({ id, ip, vpn_key_id, activation_token })
    .update({ activation_token: null, updated_at: db.fn.now() })) === 1;

/** Give a live physical drone another token. Returns whether there is such a drone. */
export const replaceActivationToken = async (db: Db, id: number, token: string): Promise<boolean> =>
  (await waiting(db).where({ id }).update({ activation_token: token, updated_at: db.fn.now() })) === 1;
