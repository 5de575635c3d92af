import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createUser } from "../src/features/accounts";
import { openDatabase } from "../src/platform/postgres/db";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "./database";
import { startChild } from "./relay/child";
import type { BenchTable } from "./table";

const SERVER_CORE = 1;
const FIELD_CORE = 0;
const LINKS = 50;
const WARM_UP_MS = 8_000;
/** Each link's part of a minute is written once in it. */
const MEASURE_MS = 60_000;
const ROUNDS = 2;
const LIMIT = 3;

/** What the flight recorder takes of a core: the same links with it and without it. */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  try {
    const env = await startServers(stops);
    const measured = { without: [] as number[], with: [] as number[] };
    let kilobytes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      measured.without.push((await busy(false, env)).percent);
      const recorded = await busy(true, env);
      measured.with.push(recorded.percent);
      kilobytes = recorded.bytes / 1000;
    }
    const [ours, baseline] = [Math.min(...measured.with), Math.min(...measured.without)];
    return {
      name: "recorder",
      rows: [
        {
          what: `${LINKS} links of armed vehicles, recorded: CPU of the gateway`,
          ours,
          baseline,
          ratio: ours - baseline,
          unit: "% of a core",
          goal: `at most ${LIMIT} % of a core over the baseline`,
          met: ours - baseline <= LIMIT,
        },
      ],
      notes: [
        "Baseline: the same links without the recorder. The ratio is the difference.",
        `In each ${MEASURE_MS / 1000} s, ${Math.round(kilobytes)} kB were written to the store, each link's in parts. The best of ${ROUNDS} rounds each.`,
      ],
    };
  } finally {
    await stops.clear();
  }
}

async function busy(
  isRecorded: boolean,
  env: Record<string, string>,
): Promise<{ percent: number; bytes: number }> {
  const gateway = startChild(join(__dirname, "recorder", "gateway-process.js"), SERVER_CORE, env);
  const field = startChild(join(__dirname, "telemetry", "field-process.js"), FIELD_CORE);
  try {
    const port = await field.ask<number>("vehicles", LINKS);
    await field.ask("fly", LINKS);
    await gateway.ask("open", port, LINKS, isRecorded);
    await pause(WARM_UP_MS);
    const before = await gateway.ask<number>("cpuSeconds");
    const bytesBefore = await gateway.ask<number>("written");
    await pause(MEASURE_MS);
    const seconds = (await gateway.ask<number>("cpuSeconds")) - before;
    const bytes = (await gateway.ask<number>("written")) - bytesBefore;
    return { percent: (seconds * 100_000) / MEASURE_MS, bytes };
  } finally {
    await Promise.all([gateway.stop(), field.stop()]);
  }
}

/** A database with the drones, and a store; returns the gateway's variables. */
async function startServers(stops: CleanupStack): Promise<Record<string, string>> {
  const { folder, url } = await startBenchDatabase(stops);
  const db = openDatabase(url, { poolMax: 2, name: "fleet-bench" });
  try {
    const { id } = await createUser(db, {
      ...{ username: "bench@example.com", password_hash: null, level: null, active: true },
    });
    const drone = { user_id: id, type: "sitl", vehicle_type: "copter", port: 5760 };
    for (let each = 1; each <= LINKS; each++) await db("drones").insert({ ...drone, name: `drone ${each}` });
  } finally {
    await db.destroy();
  }
  const store = fork(join(__dirname, "archive", "store-process.js"), [join(folder, "objects")]);
  stops.add(() => store.kill("SIGKILL"));
  const [S3_ENDPOINT] = (await once(store, "message")) as [string];
  return {
    ...{ DATABASE_URL: url, REDIS_URL: "redis://127.0.0.1:1", SMTP_URL: "smtp://127.0.0.1:1" },
    ...{ S3_ENDPOINT, S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER", DEPLOYMENT: "local" },
    JWT_SECRET: "a secret for a benchmark only, of enough length",
  };
}
