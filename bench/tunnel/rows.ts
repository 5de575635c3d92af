import type { Ipv4 } from "../../src/domain/ipv4";
import { type Member, toMember } from "../../src/domain/peers";
import type { Db } from "../../src/platform/postgres/db";
import { generateKeyPair, type KeyPair } from "../../src/tunnel/wireguard/keys";

export type Peer = Member & KeyPair;

/** The n-th address of a plane that a peer may have, 250 to a block. */
export const addressOf = (plane: Member["plane"], n: number): Ipv4 =>
  `10.${plane === "users" ? 70 : 71}.${1 + Math.floor(n / 250)}.${1 + (n % 250)}` as Ipv4;

/** In place of all rows that were there: half users, half drones, the n-th drone of the n-th user. */
export async function storeRows(db: Db, count: number): Promise<Peer[]> {
  const half = Math.floor(count / 2);
  await db.raw("TRUNCATE users, drones, vpn_addresses CASCADE");
  const ips = (plane: Member["plane"], size: number) =>
    Array.from({ length: size }, (_, n) => addressOf(plane, n));
  const [users, drones] = [ips("users", half), ips("drones", count - half)];
  await db.raw("INSERT INTO vpn_addresses (ip, range) SELECT unnest(?::inet[]), 'users'", [users]);
  await db.raw("INSERT INTO vpn_addresses (ip, range) SELECT unnest(?::inet[]), 'drones'", [drones]);
  await db.raw(
    `INSERT INTO users (username, ip, is_active)
      SELECT host(ip) || '@example.com', ip, true FROM unnest(?::inet[]) AS ip`,
    [users],
  );
  await db.raw(
    `INSERT INTO drones (user_id, name, type, vehicle_type, port, ip)
      SELECT users.id, host(given.drone), 'physical', 'copter', 5001, given.drone
      FROM unnest(?::inet[], ?::inet[]) AS given (drone, owner) JOIN users ON users.ip = given.owner`,
    [drones, drones.map((_, n) => users[n % half] as string)],
  );
  const { rows } = await db.raw(
    `SELECT 'users' AS plane, id, host(ip) AS ip, vpn_key_id FROM users
      UNION ALL SELECT 'drones', id, host(ip), vpn_key_id FROM drones ORDER BY id`,
  );
  return rows.map((row: { plane: Member["plane"]; id: number; ip: Ipv4; vpn_key_id: string }) => {
    const member = toMember({ plane: row.plane, rowId: row.id, keyId: row.vpn_key_id, ip: row.ip });
    return { ...member, ...generateKeyPair() };
  });
}
