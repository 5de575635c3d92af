import type { Logger } from "../process/log";
import type { Redis } from "./client";

/**
 * Say so where this Redis throws keys away when it is full, as some services' do unless they are told not to: a lease or
 * a fence that is gone is somebody else's. A server that does not tell is believed.
 */
export async function warnOfEviction(redis: Redis, log: Logger): Promise<void> {
  const told = await redis.info("memory").catch(() => "");
  const of = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(told)?.[1];
  const policy = of("maxmemory_policy") ?? "noeviction";
  if (policy === "noeviction" || of("maxmemory") === "0") return;
  log.warn({ policy }, "Redis throws keys away when it is full; set its maxmemory-policy to noeviction");
}
