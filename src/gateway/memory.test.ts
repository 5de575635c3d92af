import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { freePort } from "../laptop/free-port";
import { atEndOfFile } from "../testing/clean-up";
import { ApiClient } from "../testing/client";
import { compiledPrograms } from "../testing/programs";
import {
  startTestGateway,
  TEST_ARCHIVE_KEY,
  TEST_JWT_SECRET,
  type TestGateway,
  type TestUser,
} from "../testing/start-gateway";
import { until } from "../testing/until";
import { droneClient } from "../testing/uploads";

const MEGABYTE = 2 ** 20;

let gateway: TestGateway;
let measured: Measured;
beforeAll(async () => {
  gateway = await startTestGateway();
  measured = await startMeasured();
}, 120_000);

/** A gateway in a process of its own, with its worker, on the same database and store. */
interface Measured {
  readonly api: ApiClient;
  /** The most memory that it has had since it began, in megabytes. */
  peak(): number;
}

async function startMeasured(): Promise<Measured> {
  const { config } = gateway.deps;
  const port = await freePort();
  const { S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = config;
  const child = spawn(process.execPath, [join(compiledPrograms(), "cmd/gateway.js")], {
    stdio: "ignore",
    env: {
      ...{ PATH: process.env.PATH, TZ: "UTC", LOG_LEVEL: "silent", DEPLOYMENT: "local" },
      ...{ DATABASE_URL: gateway.databaseUrl, REDIS_URL: gateway.redisUrl, SMTP_URL: config.SMTP_URL },
      ...{ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
      ...{ JWT_SECRET: TEST_JWT_SECRET, ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY },
      ...{ GATEWAY_PORT: String(port), WORKER_IN_PROCESS: "true" },
    },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEndOfFile(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false, 60_000);
  const status = () => readFileSync(`/proc/${child.pid}/status`, "utf8");
  return {
    api: new ApiClient(`${url}/api/v1`),
    peak: () => Number(/VmHWM:\s+(\d+) kB/.exec(status())?.[1]) / 1024,
  };
}

/** So many megabytes, which are never in memory together. */
function* content(megabytes: number) {
  const chunk = Buffer.alloc(MEGABYTE, "flight");
  for (let n = 0; n < megabytes; n++) yield chunk;
}

/** A flight that brings back so many megabytes, which are checked, and its archive. */
async function fly(user: TestUser, ip: string, megabytes: number): Promise<void> {
  const drone = droneClient(measured.api, ip);
  const api = measured.api.as(user.token);
  const { id } = (await drone.post("/executions/start", {})).body;
  const wish = { file_name: `${megabytes}.bin`, asset_type: "logs", execution_id: id };
  const { asset_id, url } = (await drone.post("/authenticate_upload", wish)).body;
  const stored = await fetch(url, {
    method: "PUT",
    body: Readable.toWeb(Readable.from(content(megabytes))),
    headers: { "content-length": String(megabytes * MEGABYTE) },
    duplex: "half",
  } as never);
  expect(stored.status).toBe(200);
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(200);
  await drone.post(`/executions/${id}/complete`, { status: "completed" });
  const made = await until(async () => {
    const { body } = await api.get(`/executions/${id}/archive`);
    return body.status === "ready" && body;
  }, 60_000);
  expect(made.size).toBeGreaterThan(megabytes * MEGABYTE);
  await api.delete(`/executions/${id}`);
}

test("two hundred megabytes are taken, checked and archived in the memory that sixty take", async () => {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  await fly(user, body.ip, 60);
  const small = measured.peak();
  expect(small).toBeGreaterThan(50);
  await fly(user, body.ip, 200);
  expect(measured.peak() / small).toBeLessThan(1.35);
}, 180_000);
