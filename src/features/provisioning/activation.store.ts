import type { Ipv4 } from "../../domain/ipv4";
import type { Db } from "../../platform/postgres/db";

/** A live physical drone that has not been activated. */
export interface WaitingDrone {
  readonly id: number;
  readonly ip: Ipv4;
  readonly vpn_key_id: string;
  readonly vehicle_type: "copter" | "rover";
  readonly activation_token: string;
  /** The token is older than seven days. */
  readonly is_expired: boolean;
}

const waiting = (db: Db) => db("drones").where({ type: "physical", deleted_at: null }).whereNotNull("ip");

export const findWaitingDrone = async (db: Db, token: string): Promise<WaitingDrone | undefined> =>
  waiting(db)
    .where({ activation_token: token })
    .first(
      ...["id", "ip", "vpn_key_id", "vehicle_type", "activation_token"],
      db.raw("activation_expires_at <= now() AS is_expired"),
    );

/**
 * Clears the token in one statement, so that one of several concurrent calls gets true. False also when the drone was
 * deleted, or has another token, address or VPN key.
 */
export const claimActivation = async (
  db: Db,
  { id, ip, vpn_key_id, activation_token }: WaitingDrone,
): Promise<boolean> =>
  (await waiting(db)
    .where({ id, ip, vpn_key_id, activation_token })
    .update({ activation_token: null, updated_at: db.fn.now() })) === 1;

/** Replaces the token of a live physical drone, and with it the date of its expiry. Returns false when there is no such drone. */
export const replaceActivationToken = async (db: Db, id: number, token: string): Promise<boolean> =>
  (await waiting(db).where({ id }).update({ activation_token: token, updated_at: db.fn.now() })) === 1;
