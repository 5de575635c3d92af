import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { startRedis } from "../src/laptop/servers/redis";
import { openDatabase } from "../src/platform/postgres/db";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "./database";
import { addressOf } from "./relay/addresses";
import { type Child, startChild } from "./relay/child";
import { type BenchTable, median } from "./table";

const IDLE_SESSIONS = 10_000;
const FLOODING = 50;
const FLOOD_SECONDS = 2;
const FLOOD_ROUNDS = 3;
const STEADY = 1_000;
const STEADY_SECONDS = 2;
const STEADY_ROUNDS = 5;
/** The server alone on its core. */
const SERVER_CORE = 1;
const PILOTS_CORE = 0;
const REDIS_CORE = cpus().length > 2 ? 2 : 0;

type Subject = "ours" | "baseline";
type Pair<Of> = Readonly<Record<Subject, Of>>;
interface Steady {
  readonly p50: number;
  readonly p99: number;
  readonly arrived: number;
  readonly sent: number;
}
interface Flooded {
  readonly frames: number;
  readonly seconds: number;
}
interface Flood {
  readonly framesPerCpuSecond: number;
  readonly framesPerSecond: number;
}

/** The relay beside a bare `ws` → `ioredis.publish` pipe, both fed by the same pilots. */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  try {
    const { folder, url } = await startBenchDatabase(stops);
    const redis = await stops.keep(startRedis({ folder: join(folder, "redis"), durable: false }));
    const redisPid = readFileSync(join(folder, "redis", "redis.pid"), "utf8").trim();
    execFileSync("taskset", ["-a", "-c", "-p", String(REDIS_CORE), redisPid], { stdio: "ignore" });
    await storeDrones(url);
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      RELAY_PORT: "0",
      DEPLOYMENT: "local",
      ACCESS_PROFILE: "contract",
      RELAY_MAX_SESSIONS: String(IDLE_SESSIONS + FLOODING),
      QUOTA_RELAY_SESSIONS: "0",
    };
    const start = (module: string, core: number) => {
      const child = startChild(join(__dirname, "relay", `${module}-process.js`), core, env);
      stops.add(child.stop);
      return child;
    };
    const servers = { ours: start("relay", SERVER_CORE), baseline: start("bare", SERVER_CORE) };
    const pilots = start("pilots", PILOTS_CORE);
    const counter = new Redis(redis.url);
    stops.add(async () => counter.disconnect());
    return await measure(servers, pilots, counter, redis.url);
  } finally {
    await stops.clear();
  }
}

async function measure(servers: Pair<Child>, pilots: Child, counter: Redis, redisUrl: string) {
  const memory = {
    ours: await idle(servers.ours, pilots, counter),
    baseline: await idle(servers.baseline, pilots),
  };
  const floods = await alternate(servers, FLOOD_ROUNDS, async (server) => {
    await enter(server, pilots, FLOODING);
    const before = await server.ask<number>("cpuSeconds");
    const { frames, seconds } = await pilots.ask<Flooded>("flood", redisUrl, FLOOD_SECONDS);
    const used = (await server.ask<number>("cpuSeconds")) - before;
    await leave(pilots);
    return { framesPerCpuSecond: frames / used, framesPerSecond: frames / seconds };
  });
  const steady = await alternate(servers, STEADY_ROUNDS, async (server) => {
    await enter(server, pilots, STEADY);
    const seen = await pilots.ask<Steady>("steady", redisUrl, STEADY_SECONDS);
    assert.equal(seen.arrived, seen.sent, "every frame arrives");
    await leave(pilots);
    return seen;
  });
  return tableOf(memory, floods, steady);
}

/** Memory per idle session, in KiB; with a counter, also that every session holds its two subscriptions. */
async function idle(server: Child, pilots: Child, counter?: Redis): Promise<number> {
  await enter(server, pilots, 100);
  await leave(pilots);
  const before = await server.ask<number>("rssBytes");
  await enter(server, pilots, IDLE_SESSIONS);
  if (counter) {
    const channels = (await counter.pubsub("CHANNELS", "*:output")) as string[];
    assert.equal(channels.length, IDLE_SESSIONS);
  }
  const after = await server.ask<number>("rssBytes");
  assert.equal(await pilots.ask("connected"), IDLE_SESSIONS);
  await leave(pilots);
  return (after - before) / IDLE_SESSIONS / 1_024;
}

async function enter(server: Child, pilots: Child, count: number): Promise<void> {
  await pilots.ask("open", await server.ask<number>("port"), count);
  // The last look-ups and subscriptions.
  await pause(300);
}

async function leave(pilots: Child): Promise<void> {
  await pilots.ask("leave");
  await pause(300);
}

/** In each round both are measured, and they take turns in going first. */
async function alternate<Of>(
  servers: Pair<Child>,
  rounds: number,
  once: (server: Child) => Promise<Of>,
): Promise<Pair<Of[]>> {
  const seen: Pair<Of[]> = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    const order: Subject[] = round % 2 ? ["ours", "baseline"] : ["baseline", "ours"];
    for (const subject of order) seen[subject].push(await once(servers[subject]));
  }
  return seen;
}

const medians = <Of>({ ours, baseline }: Pair<Of[]>, figure: (one: Of) => number): Pair<number> => ({
  ours: median(ours.map(figure)),
  baseline: median(baseline.map(figure)),
});

function tableOf(memory: Pair<number>, floods: Pair<Flood[]>, steady: Pair<Steady[]>): BenchTable {
  const rate = medians(floods, ({ framesPerCpuSecond }) => framesPerCpuSecond);
  const wall = medians(floods, ({ framesPerSecond }) => framesPerSecond);
  const p50 = medians(steady, (one) => one.p50);
  const p99 = medians(steady, (one) => one.p99);
  return {
    name: "relay",
    rows: [
      {
        what: `frames from ${FLOODING} flooding pilots`,
        ...rate,
        ratio: rate.ours / rate.baseline,
        unit: "frames per second of one core",
        goal: "at least 0.85 of the bare pipe",
        met: rate.ours >= 0.85 * rate.baseline,
      },
      {
        what: `p99 age at the drone, ${STEADY.toLocaleString("en-US")} pilots at 20 Hz`,
        ...p99,
        ratio: p99.ours / p99.baseline,
        unit: "ms",
        goal: "within 1 ms of the bare pipe",
        met: p99.ours - p99.baseline <= 1,
      },
      {
        what: `memory of one of ${IDLE_SESSIONS.toLocaleString("en-US")} idle sessions`,
        ...memory,
        ratio: memory.ours / memory.baseline,
        unit: "KiB",
        goal: "under 40 KiB",
        met: memory.ours < 40,
      },
    ],
    notes: [
      `Carried in wall time: ${Math.round(wall.ours)} frames/s, the bare pipe ${Math.round(wall.baseline)}; on two cores Redis and the pilots share one, which may be the bottleneck.`,
      `Median age: ${p50.ours.toFixed(2)} ms, the bare pipe's ${p50.baseline.toFixed(2)} ms. Medians of ${FLOOD_ROUNDS} floods and ${STEADY_ROUNDS} steady runs in turns; the server alone on core ${SERVER_CORE}.`,
      "An idle session here includes its two Redis subscriptions and its keep-alive; the bare pipe has neither.",
    ],
  };
}

async function storeDrones(url: string): Promise<void> {
  const db = openDatabase(url, { poolMax: 1, name: "fleet-bench" });
  try {
    const [{ id }] = await db("users").insert({ username: "bench@example.com" }).returning("id");
    const ips = Array.from({ length: IDLE_SESSIONS }, (_, i) => addressOf(i + 1));
    await db.raw("INSERT INTO vpn_addresses (ip, range) SELECT unnest(?::inet[]), 'simulated'", [ips]);
    await db.raw(
      `INSERT INTO drones (user_id, name, type, vehicle_type, port, ip)
        SELECT ?, 'Heron', 'sitl', 'copter', 5760, ip
        FROM unnest(?::inet[]) WITH ORDINALITY AS given (ip, n) ORDER BY n`,
      [id, ips],
    );
    const [first] = await db("drones").where({ id: 1 }).select("ip");
    assert.equal(first.ip, addressOf(1));
  } finally {
    await db.destroy();
  }
}
