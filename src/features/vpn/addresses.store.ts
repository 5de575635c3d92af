import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import { type AddressRange, addressAfter, inRange } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";

/**
 * A released address rests for as long before another user gets it: the former owner's configs, connections and
 * subscriptions must not meet the next owner's drone. A user's own drones may follow each other at once. The
 * remains of the former one (packets of its peer until the reconciler has removed the key, conntrack entries, admitted
 * connections of the edge) belong to the same user, and everything else goes by the row's id and key.
 */
const REST = "24 hours";

/** The owner of a drone's address, and how many of the owner's released ones may rest before they are used again. */
interface AddressOwner {
  readonly userId: number;
  /** 0: never used again by the user before the rest is over. */
  readonly maxResting: number;
}

/**
 * Allocates a free address of a range, inside the caller's transaction. Concurrent callers wait for the range's lock until
 * that transaction ends, so no address is allocated twice.
 * Rejects with `address_pool_exhausted` when no address is left.
 */
export async function allocateAddress(trx: Db, range: AddressRange, owner?: AddressOwner): Promise<Ipv4> {
  await trx.raw("select pg_advisory_xact_lock(hashtext(?))", [`vpn_addresses:${range.name}`]);
  const own = owner && (await ownResting(trx, range, owner));
  const ip = own ?? (await findReusable(trx, range)) ?? (await nextUnused(trx, range));
  await trx.raw(
    `insert into vpn_addresses (ip, range) values (?, ?)
     on conflict (ip) do update set released_at = null, range = excluded.range`,
    [ip, range.name],
  );
  return ip;
}

/** Addresses that the user's drones released and that rest. */
export async function countResting(db: Db, userId: number): Promise<number> {
  const { rows } = await db.raw(
    "select count(*)::int as resting from vpn_addresses where released_by = ? and released_at > now() - ?::interval",
    [userId, REST],
  );
  return rows[0].resting;
}

/** The longest resting address of the user, once as many rest as may. */
async function ownResting(
  trx: Db,
  range: AddressRange,
  { userId, maxResting }: AddressOwner,
): Promise<Ipv4 | undefined> {
  if (maxResting === 0 || (await countResting(trx, userId)) < maxResting) return undefined;
  const { rows } = await trx.raw(
    `select host(ip) as ip from vpn_addresses
     where released_by = ? and range = ? and released_at is not null order by released_at limit 1`,
    [userId, range.name],
  );
  return rows[0]?.ip;
}

async function findReusable(trx: Db, range: AddressRange): Promise<Ipv4 | undefined> {
  const { rows } = await trx.raw(
    `select host(ip) as ip from vpn_addresses
     where range = ? and released_at < now() - ?::interval order by ip limit 1`,
    [range.name, REST],
  );
  return rows[0]?.ip;
}

async function nextUnused(trx: Db, range: AddressRange): Promise<Ipv4> {
  const { rows } = await trx.raw("select host(max(ip)) as last from vpn_addresses where range = ?", [
    range.name,
  ]);
  const next = rows[0].last ? addressAfter(rows[0].last) : range.first;
  if (!inRange(next, range)) {
    throw new DomainError("address_pool_exhausted", `No free address is left for ${range.name}.`);
  }
  return next;
}
