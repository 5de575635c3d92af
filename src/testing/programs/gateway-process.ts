import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../laptop/free-port";
import { ApiClient } from "../client";
import { TEST_JWT_SECRET, type TestGateway } from "../worlds/start-gateway";
import { type MeasuredProcess, startMeasuredProcess } from "./measured-process";

export interface GatewayProcess extends MeasuredProcess {
  readonly api: ApiClient;
}

/** Starts a gateway process on the database and servers of a test's gateway. */
export async function startGatewayProcess(
  beside: TestGateway,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const { config } = beside.deps;
  const port = await freePort();
  const { S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = config;
  const released = await startMeasuredProcess("gateway", port, {
    ...{ DATABASE_URL: beside.databaseUrl, REDIS_URL: beside.redisUrl, SMTP_URL: config.SMTP_URL },
    ...{ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, JWT_SECRET: TEST_JWT_SECRET },
    ...{ GATEWAY_PORT: String(port), WORKER_IN_PROCESS: "false", LINK_CONNECT_TIMEOUT_MS: "50" },
    ...env,
  });
  return { ...released, api: new ApiClient(`${released.url}/api/v1`) };
}

/** Sends a GET every 50 ms while `work` runs; `slowestMs` is the longest response time. */
export async function probeDuring<T>(
  api: ApiClient,
  path: string,
  work: () => Promise<T>,
): Promise<{ result: T; slowestMs: number; failed: number; answers: number }> {
  let [going, slowestMs, failed, answers] = [true, 0, 0, 0];
  const asking = (async () => {
    while (going) {
      const asked = performance.now();
      const ok = await api.get(path).then(
        ({ status }) => status < 400,
        () => false,
      );
      slowestMs = Math.max(slowestMs, performance.now() - asked);
      answers += 1;
      if (!ok) failed += 1;
      await delay(50);
    }
  })();
  try {
    const result = await work();
    return { result, slowestMs, failed, answers };
  } finally {
    going = false;
    await asking;
  }
}
