import { freePort } from "../../laptop/free-port";
import { TEST_JWT_SECRET } from "../worlds/start-gateway";
import type { RelayServers } from "../worlds/start-relay";
import { type MeasuredProcess, startMeasuredProcess } from "./measured-process";

/** A compiled relay in its own process, on a test's database and Redis. */
export async function startRelayProcess(
  { databaseUrl, redisUrl }: RelayServers,
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredProcess> {
  const port = await freePort();
  return startMeasuredProcess("relay", port, {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, JWT_SECRET: TEST_JWT_SECRET },
    ...{ RELAY_PORT: String(port), ...env },
  });
}
