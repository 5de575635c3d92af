import type { Logger } from "../process/log";
import type { Redis } from "./client";

/**
 * Warns when this Redis evicts keys when it is full, which is the default of some services: an evicted lease can be taken
 * by another replica. Warns also when subscribers that do not read may use all of its memory. No warning about a setting
 * that the server hides.
 */
export async function warnOfSettings(redis: Redis, log: Logger): Promise<void> {
  const memory = await redis.info("memory").catch(() => "");
  const of = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(memory)?.[1];
  const policy = of("maxmemory_policy") ?? "noeviction";
  if (policy !== "noeviction" && of("maxmemory") !== "0")
    log.warn({ policy }, "Redis evicts keys when it is full; set its maxmemory-policy to noeviction");

  const [, clients] = (await redis.config("GET", "maxmemory-clients").catch(() => [])) as string[];
  const [, buffers] = (await redis.config("GET", "client-output-buffer-limit").catch(() => [])) as string[];
  if (clients === "0" || buffers?.includes("pubsub 0 "))
    log.warn(
      { "maxmemory-clients": clients, "client-output-buffer-limit": buffers },
      "Redis has no limit on its clients' memory; set maxmemory-clients and client-output-buffer-limit pubsub",
    );
}
