import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import { type AddressRange, addressAfter, inRange } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";

/** A released address rests this long, so that nothing that still knows it meets its next owner. */
const REST = "24 hours";

/**
 * Take a free address of a range, inside the caller's transaction. Concurrent callers wait for one another
 * on the range's lock until that transaction ends, so two can never be given the same address.
 * Rejects with `address_pool_exhausted` when none is left.
 */
export async function allocateAddress(trx: Db, range: AddressRange): Promise<Ipv4> {
  await trx.raw("select pg_advisory_xact_lock(hashtext(?))", [`vpn_addresses:${range.name}`]);
  const ip = (await rested(trx, range)) ?? (await beyondTheLast(trx, range));
  await trx.raw(
    `insert into vpn_addresses (ip, range) values (?, ?)
     on conflict (ip) do update set released_at = null, range = excluded.range`,
    [ip, range.name],
  );
  return ip;
}

async function rested(trx: Db, range: AddressRange): Promise<Ipv4 | undefined> {
  const { rows } = await trx.raw(
    `select host(ip) as ip from vpn_addresses
     where range = ? and released_at < now() - ?::interval order by ip limit 1`,
    [range.name, REST],
  );
  return rows[0]?.ip;
}

async function beyondTheLast(trx: Db, range: AddressRange): Promise<Ipv4> {
  const { rows } = await trx.raw("select host(max(ip)) as last from vpn_addresses where range = ?", [
    range.name,
  ]);
  const next = rows[0].last ? addressAfter(rows[0].last) : range.first;
  if (!inRange(next, range)) {
    throw new DomainError("address_pool_exhausted", `No free address is left for ${range.name}.`);
  }
  return next;
}
