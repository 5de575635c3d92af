import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import { io, type Socket } from "socket.io-client";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { type Customer, setUpFleet } from "./fleet/setup";
import { type Child, startChild } from "./relay/child";
import { type BenchRow, type BenchTable, median } from "./table";

const SERVER_CORE = 1;
const DRONES = 500;
const WATCHERS = 20;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 10_000;
const ROUNDS = 5;
const CONNECTIONS = 16;
const REQUEST_SECONDS = 3;
const POINTS = 2_000;
const IMPORTS = 7;

interface Server {
  readonly child: Child;
  readonly url: string;
}
interface Pair<Of> {
  readonly ours: Of;
  readonly baseline: Of;
}
interface Watched {
  /** Of CPU, with the watchers and without them. */
  readonly seconds: number;
  readonly unwatchedSeconds: number;
  /** Sent to the watchers. */
  readonly megabytes: number;
}

/** A fleet of 500 drones: its watchers, its states, and the import of a mission. */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  try {
    const fleet = await setUpFleet(stops, CONNECTIONS, DRONES);
    const start = async (name: string): Promise<Server> => {
      const child = startChild(join(__dirname, "fleet", `${name}-process.js`), SERVER_CORE, fleet.env);
      stops.add(() => child.stop());
      return { child, url: await child.ask<string>("url") };
    };
    const pair = { ours: await start("gateway"), baseline: await start("bare") };
    for (const { id, drones } of fleet.customers) await pair.baseline.child.ask("own", id, drones);
    const watched = await alternate(pair, (server) => watch(server, fleet.customers[0] as Customer));
    const requests = await alternate(pair, (server) => read(server, fleet.customers));
    return { name: "fleet", rows: [...rowsOf(watched, requests), await importRow(pair.ours, fleet)], notes };
  } finally {
    await stops.clear();
  }
}

/** In each round both are measured, and they take turns in going first. */
async function alternate<Of>(
  pair: Pair<Server>,
  measure: (server: Server) => Promise<Of>,
): Promise<Pair<Of[]>> {
  const seen = { ours: [] as Of[], baseline: [] as Of[] };
  for (let round = 0; round < ROUNDS; round++) {
    const order = ["baseline", "ours"] as const;
    for (const who of round % 2 ? order.toReversed() : order) seen[who].push(await measure(pair[who]));
  }
  return seen;
}

/** Twenty watchers of one user's fleet, all of whose drones fly. */
async function watch({ child, url }: Server, { token, drones }: Customer): Promise<Watched> {
  await child.ask("fly", drones);
  await pause(WARM_UP_MS);
  const unwatchedSeconds = await cpuOver(child, MEASURE_MS);
  const sockets = await Promise.all(Array.from({ length: WATCHERS }, () => subscribe(url, token)));
  try {
    await pause(WARM_UP_MS);
    let [messages, bytes] = [0, 0];
    for (const { socket } of sockets)
      socket.io.engine.on("packet", ({ data }: { data?: string }) => {
        if (!data?.startsWith('2["fleet_data"')) return;
        messages += 1;
        bytes += data.length;
      });
    const seconds = await cpuOver(child, MEASURE_MS);
    assert.ok(messages >= (WATCHERS * MEASURE_MS) / 1000 - 2 * WATCHERS, `${messages} messages came`);
    return { seconds, unwatchedSeconds, megabytes: bytes / 1e6 };
  } finally {
    for (const { socket } of sockets) socket.disconnect();
    await child.ask("land");
  }
}

/** Seconds of CPU that the process takes meanwhile. */
async function cpuOver(child: Child, milliseconds: number): Promise<number> {
  const before = await child.ask<number>("cpuSeconds");
  await pause(milliseconds);
  return (await child.ask<number>("cpuSeconds")) - before;
}

function subscribe(url: string, token: string): Promise<{ socket: Socket }> {
  const socket = io(url, { query: { token }, transports: ["websocket"], forceNew: true });
  return new Promise((resolve) => {
    socket.on("connect", () => socket.emit("subscribe_fleet"));
    socket.on("fleet_data", () => resolve({ socket }));
  });
}

/** Requests a second for the states of fleets, each connection another user's. */
async function read({ child, url }: Server, customers: readonly Customer[]): Promise<number> {
  await child.ask(
    "fly",
    customers.flatMap(({ drones }) => drones),
  );
  await child.ask("land");
  const rest = customers.values();
  const result = await autocannon({
    url: `${url}/api/v1/drones/state`,
    connections: customers.length,
    setupClient: (client) => client.setHeaders({ authorization: `Bearer ${rest.next().value?.token}` }),
    duration: REQUEST_SECONDS,
  });
  assert.equal(result.non2xx + result.errors + result.timeouts, 0, `${url} failed under load`);
  return result.requests.total / result.duration;
}

/** A mission of 2,000 points, beside the same rows written by Postgres' own means in one transaction. */
async function importRow(
  { url }: Server,
  { customers, insert }: Awaited<ReturnType<typeof setUpFleet>>,
): Promise<BenchRow> {
  const { token, id } = customers[0] as Customer;
  const points = Array.from({ length: POINTS }, (_, at) => [8 + at * 1e-5, 47 + at * 1e-5, 30]);
  const file = JSON.stringify({ type: "LineString", coordinates: points });
  const headers = { authorization: `Bearer ${token}` };
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < IMPORTS; round++) {
    const began = performance.now();
    const reply = await fetch(`${url}/api/v1/missions/import?format=geojson&name=Import ${round}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/geo+json" },
      body: file,
    });
    const { mission } = (await reply.json()) as { mission: { id: number } };
    assert.equal(reply.status, 201);
    ours.push(performance.now() - began);
    await fetch(`${url}/api/v1/mission/${mission.id}`, { method: "DELETE", headers });
    baseline.push(await insert(id, `Baseline ${round}`, POINTS));
  }
  const [mine, bare] = [median(ours), median(baseline)];
  return {
    what: `import of a mission of ${POINTS.toLocaleString("en-US")} points`,
    ...{ ours: mine, baseline: bare, ratio: mine / bare, unit: "ms" },
    ...{ goal: "under 500 ms", met: mine < 500 },
  };
}

function rowsOf(watched: Pair<Watched[]>, requests: Pair<number[]>): BenchRow[] {
  // Of all rounds but the first, in which the code gets warm: the difference of two is smaller than their noise.
  const sums = (of: (one: Watched) => number): Pair<number> => ({
    ours: watched.ours.slice(1).reduce((sum, one) => sum + of(one), 0),
    baseline: watched.baseline.slice(1).reduce((sum, one) => sum + of(one), 0),
  });
  const [all, taken, megabytes] = [
    sums(({ seconds }) => seconds),
    sums(({ seconds, unwatchedSeconds }) => seconds - unwatchedSeconds),
    sums((one) => one.megabytes),
  ];
  const percent = (seconds: number) => (seconds * 100_000) / MEASURE_MS / (ROUNDS - 1);
  const cpu = { ours: percent(all.ours), baseline: percent(all.baseline) };
  const sent = {
    ours: megabytes.ours / taken.ours,
    baseline: megabytes.baseline / taken.baseline,
  };
  const [reads, bareReads] = [median(requests.ours), median(requests.baseline)];
  const whom = `fleet_data of ${DRONES} drones to ${WATCHERS} watchers`;
  return [
    {
      what: `${whom}: CPU of the server`,
      ...{ ...cpu, ratio: cpu.ours / cpu.baseline, unit: "% of a core" },
      ...{ goal: "at most 10 % of a core", met: cpu.ours <= 10 },
    },
    {
      what: `${whom}: sent for each second of CPU that the watchers take`,
      ...{ ...sent, ratio: sent.ours / sent.baseline, unit: "MB" },
      ...{ goal: "at least 0.9 of the baseline", met: sent.ours / sent.baseline >= 0.9 },
    },
    {
      what: `GET /drones/state of ${DRONES} drones, ${CONNECTIONS} users at once`,
      ...{ ours: reads, baseline: bareReads, ratio: reads / bareReads, unit: "requests/s" },
      ...{ goal: "at least 0.8 of the baseline", met: reads / bareReads >= 0.8 },
    },
  ];
}

const notes = [
  "Baseline: bare Socket.IO and node:http with the token's check, which write the same states from memory as JSON; no database, no Redis.",
  "Ours also writes the states to Redis once a second. In each second a drone says its position ten times, and the rest once.",
  "Import: GeoJSON over HTTP, beside one INSERT of as many rows in a transaction.",
];
