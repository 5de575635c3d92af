import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../laptop/free-port";
import { atEndOfFile } from "./clean-up";
import { ApiClient } from "./client";
import { compiledPrograms } from "./programs";
import { TEST_JWT_SECRET, type TestGateway } from "./start-gateway";
import { until } from "./until";

const MEGABYTE = 2 ** 20;

/** A gateway as it is released, in a process of its own whose memory can be read. */
export interface GatewayProcess {
  readonly url: string;
  readonly port: number;
  readonly api: ApiClient;
  /** Resident now and at its most, in megabytes. */
  memory(): { readonly now: number; readonly peak: number };
}

/** Start one on the database and servers of a gateway of the test's own. Killed at the end of the file. */
export async function gatewayProcess(
  beside: TestGateway,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const { config } = beside.deps;
  const port = await freePort();
  const { S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = config;
  const child = spawn(process.execPath, [join(compiledPrograms(), "cmd/gateway.js")], {
    stdio: "ignore",
    env: {
      ...{ PATH: process.env.PATH, TZ: "UTC", LOG_LEVEL: "silent", DEPLOYMENT: "local" },
      ...{ DATABASE_URL: beside.databaseUrl, REDIS_URL: beside.redisUrl, SMTP_URL: config.SMTP_URL },
      ...{ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, JWT_SECRET: TEST_JWT_SECRET },
      ...{ GATEWAY_PORT: String(port), WORKER_IN_PROCESS: "false", LINK_CONNECT_TIMEOUT_MS: "50" },
      ...env,
    },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEndOfFile(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false, 60_000);
  const read = (name: string) =>
    (Number(
      new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1],
    ) *
      1024) /
    MEGABYTE;
  return {
    url,
    port,
    api: new ApiClient(`${url}/api/v1`),
    memory: () => ({ now: read("VmRSS"), peak: read("VmHWM") }),
  };
}

/** Somebody with an honest question every 50 ms; `slowestMs` is how long the worst answer took. */
export async function meanwhile<T>(
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
      await new Promise((resolve) => setTimeout(resolve, 50));
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
