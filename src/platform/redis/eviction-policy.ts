import type { Logger } from "../process/log";
import type { Redis } from "./client";

/**
 * Warns when this Redis evicts keys when it is full, which is the default of some services: an evicted lease can be taken
 * by another replica. No warning when the server hides its policy.
 */
export async function warnOfEviction(redis: Redis, log: Logger): Promise<void> {
  const memory = await redis.info("memory").catch(() => "");
  const of = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(memory)?.[1];
  const policy = of("maxmemory_policy") ?? "noeviction";
  if (policy === "noeviction" || of("maxmemory") === "0") return;
  log.warn({ policy }, "Redis evicts keys when it is full; set its maxmemory-policy to noeviction");
}
