import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import { type AddressRange, addressAfter, inRange } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";

/** A released address is not allocated for as long: old configs and connections must not meet its next owner. */
const REUSE_AFTER = "24 hours";

/**
 * Allocates a free address of a range, inside the caller's transaction. Concurrent callers wait for the range's lock until
 * that transaction ends, so no address is allocated twice.
 * Rejects with `address_pool_exhausted` when none is left.
 */
export async function allocateAddress(trx: Db, range: AddressRange): Promise<Ipv4> {
  await trx.raw("select pg_advisory_xact_lock(hashtext(?))", [`vpn_addresses:${range.name}`]);
  const ip = (await findReusable(trx, range)) ?? (await nextUnused(trx, range));
  await trx.raw(
    `insert into vpn_addresses (ip, range) values (?, ?)
     on conflict (ip) do update set released_at = null, range = excluded.range`,
    [ip, range.name],
  );
  return ip;
}

async function findReusable(trx: Db, range: AddressRange): Promise<Ipv4 | undefined> {
  const { rows } = await trx.raw(
    `select host(ip) as ip from vpn_addresses
     where range = ? and released_at < now() - ?::interval order by ip limit 1`,
    [range.name, REUSE_AFTER],
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
