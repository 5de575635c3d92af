import { freePort } from "../../laptop/free-port";
import { TEST_JWT_SECRET } from "../worlds/start-gateway";
import type { Neighbours } from "../worlds/start-relay";
import { type ReleasedProcess, releasedProcess } from "./released-process";

/** A relay as it is released, on a database and a Redis of the test's own. */
export async function relayProcess(
  { databaseUrl, redisUrl }: Neighbours,
  env: Readonly<Record<string, string>> = {},
): Promise<ReleasedProcess> {
  const port = await freePort();
  return releasedProcess("relay", port, {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, JWT_SECRET: TEST_JWT_SECRET },
    ...{ RELAY_PORT: String(port), ...env },
  });
}
