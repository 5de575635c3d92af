import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import autocannon from "autocannon";
import { type Child, startChild } from "./http/child";
import { setUpHttpBench } from "./http/setup";
import { type BenchRow, type BenchTable, median } from "./table";

/** Each of another user. */
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const LATENCY_ROUNDS = 3;
const P99_GOAL = 2;

interface Case {
  readonly name: string;
  readonly path: string;
  readonly items: number;
  /** Of the baseline's throughput, at least. */
  readonly throughputGoal: number;
  /** Of the baseline's CPU, at most. */
  readonly cpuGoal: number;
}

const cases: readonly Case[] = [
  {
    ...{ name: "GET /missions, 20 of 10 points", path: "/missions", items: 20 },
    ...{ throughputGoal: 0.95, cpuGoal: 1.2 },
  },
  { name: "GET /drones, 200", path: "/drones", items: 200, throughputGoal: 0.9, cpuGoal: 1 },
];

interface Measure {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
  /** Milliseconds, from when the request was due and not only from when it was sent. */
  readonly p99: number;
}

/** Lists of missions and drones, beside bare node:http with the same reads. */
export async function run(): Promise<BenchTable> {
  const stage = await setUpHttpBench(CONNECTIONS);
  const children: Child[] = [];
  const start = async (name: string) => {
    const child = await startChild(join(__dirname, "http", `${name}-process.js`), stage.env);
    children.push(child);
    return child;
  };
  try {
    const pair = { baseline: await start("baseline"), ours: await start("gateway") };
    const rows: BenchRow[] = [];
    for (const one of cases) {
      await assertSameReply(pair, one, stage.tokens);
      rows.push(...rowsOf(one, ...(await race(pair, one, stage.tokens))));
    }
    return { name: `http, ${CONNECTIONS} connections`, rows, notes };
  } finally {
    for (const child of children) await child.stop();
    await stage.clear();
  }
}

interface Pair<Of> {
  readonly ours: Of;
  readonly baseline: Of;
}

/** In each round both are measured, and they take turns in going first. */
async function race(
  pair: Pair<Child>,
  { path }: Case,
  tokens: readonly string[],
): Promise<[Pair<Measure>, Pair<Measure>, number]> {
  for (const child of Object.values(pair)) await load(child, path, tokens, WARM_UP_SECONDS);
  const saturated = await alternate(pair, ROUNDS, (child) => load(child, path, tokens, ROUND_SECONDS));
  const rate = Math.floor(saturated.baseline.requestsPerSecond * 0.7);
  const paced = await alternate(pair, LATENCY_ROUNDS, (child) =>
    load(child, path, tokens, ROUND_SECONDS, rate),
  );
  return [saturated, paced, rate];
}

async function alternate(
  pair: Pair<Child>,
  rounds: number,
  measure: (child: Child) => Promise<Measure>,
): Promise<Pair<Measure>> {
  const seen = { ours: [] as Measure[], baseline: [] as Measure[] };
  for (let round = 0; round < rounds; round++) {
    const order = ["baseline", "ours"] as const;
    for (const who of round % 2 ? order.toReversed() : order) seen[who].push(await measure(pair[who]));
  }
  return { ours: medianOf(seen.ours), baseline: medianOf(seen.baseline) };
}

async function load(
  child: Child,
  path: string,
  tokens: readonly string[],
  seconds: number,
  rate?: number,
): Promise<Measure> {
  const rest = tokens.values();
  const before = await child.cpuMicroseconds();
  const result = await autocannon({
    url: `${child.url}${path}`,
    connections: CONNECTIONS,
    setupClient: (client) => client.setHeaders({ authorization: `Bearer ${rest.next().value}` }),
    duration: seconds,
    ...(rate ? { overallRate: rate } : {}),
  });
  const cpu = (await child.cpuMicroseconds()) - before;
  assert.equal(result.non2xx + result.errors + result.timeouts, 0, `${child.url} failed under load`);
  return {
    requestsPerSecond: result.requests.total / result.duration,
    cpuMicroseconds: cpu / result.requests.total,
    p99: result.latency.p99,
  };
}

async function assertSameReply(
  pair: Pair<Child>,
  { path, items }: Case,
  [token]: readonly string[],
): Promise<void> {
  const read = async ({ url }: Child) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).json();
  const [ours, baseline] = (await Promise.all([read(pair.ours), read(pair.baseline)])) as unknown[][];
  assert.ok(isDeepStrictEqual(ours, baseline) && ours?.length === items, `the two serve different ${path}`);
}

function medianOf(measures: readonly Measure[]): Measure {
  return {
    requestsPerSecond: median(measures.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpuMicroseconds: median(measures.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    p99: median(measures.map(({ p99 }) => p99)),
  };
}

function rowsOf(
  { name, throughputGoal, cpuGoal }: Case,
  saturated: Pair<Measure>,
  paced: Pair<Measure>,
  rate: number,
): BenchRow[] {
  const row = (what: string, unit: string, key: keyof Measure, of: Pair<Measure>) => ({
    ...{ what: `${name}: ${what}`, unit, ours: of.ours[key], baseline: of.baseline[key] },
    ratio: of.ours[key] / of.baseline[key],
  });
  const throughput = row("throughput", "requests/s", "requestsPerSecond", saturated);
  const cpu = row("CPU of the server process", "µs/request", "cpuMicroseconds", saturated);
  const p99 = row(`p99 at ${rate} requests/s`, "ms", "p99", paced);
  return [
    {
      ...throughput,
      goal: `at least ${throughputGoal} of the baseline`,
      met: throughput.ratio >= throughputGoal,
    },
    { ...cpu, goal: `at most ${cpuGoal} times the baseline`, met: cpu.ratio <= cpuGoal },
    { ...p99, goal: `at most ${P99_GOAL} times the baseline`, met: p99.ratio <= P99_GOAL },
  ];
}

const notes = [
  "Baseline: node:http, jsonwebtoken with a key object, one prepared statement; no router, log, metrics or headers.",
  "The baseline reads the rows as objects and writes them as JSON; the gateway sends the list as Postgres wrote it.",
  "p99 is taken at 70 % of the baseline's saturation and counts from when a request was due.",
  "Postgres and the load generator share the machine's cores with the server under test.",
];
