import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import autocannon from "autocannon";
import { type Child, startChild } from "./http/child";
import { setStage } from "./http/stage";
import type { BenchTable } from "./table";

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const LATENCY_ROUNDS = 3;
const RATIO_GOAL = 0.7;
const P99_GOAL = 2;

interface Measure {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
  /** Milliseconds, from when the request was due and not only from when it was sent. */
  readonly p99: number;
}

/** `GET /missions` of 20 missions with 10 points each, beside bare node:http with the same reads. */
export async function run(): Promise<BenchTable> {
  const stage = await setStage();
  const children: Child[] = [];
  const start = async (name: string) => {
    const child = await startChild(join(__dirname, "http", `${name}-process.js`), stage.env);
    children.push(child);
    return child;
  };
  try {
    const pair = { baseline: await start("baseline"), ours: await start("gateway") };
    await assertSameReply(pair, stage.token);
    return tableOf(...(await race(pair, stage.token)));
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
async function race(pair: Pair<Child>, token: string): Promise<[Pair<Measure>, Pair<Measure>, number]> {
  for (const child of Object.values(pair)) await load(child, token, WARM_UP_SECONDS);
  const saturated = await alternate(pair, ROUNDS, (child) => load(child, token, ROUND_SECONDS));
  const rate = Math.floor(saturated.baseline.requestsPerSecond * 0.7);
  const paced = await alternate(pair, LATENCY_ROUNDS, (child) => load(child, token, ROUND_SECONDS, rate));
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

async function load(child: Child, token: string, seconds: number, rate?: number): Promise<Measure> {
  const before = await child.cpuMicroseconds();
  const result = await autocannon({
    url: `${child.url}/missions`,
    headers: { authorization: `Bearer ${token}` },
    connections: CONNECTIONS,
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

async function assertSameReply(pair: Pair<Child>, token: string): Promise<void> {
  const read = async ({ url }: Child) =>
    (await fetch(`${url}/missions`, { headers: { authorization: `Bearer ${token}` } })).json();
  const [ours, baseline] = (await Promise.all([read(pair.ours), read(pair.baseline)])) as unknown[][];
  assert.ok(
    isDeepStrictEqual(ours, baseline) && ours?.length === 20,
    "the two do not serve the same missions",
  );
}

function medianOf(measures: readonly Measure[]): Measure {
  const median = (of: (measure: Measure) => number) =>
    measures.map(of).sort((a, b) => a - b)[Math.floor(measures.length / 2)] as number;
  return {
    requestsPerSecond: median((measure) => measure.requestsPerSecond),
    cpuMicroseconds: median((measure) => measure.cpuMicroseconds),
    p99: median((measure) => measure.p99),
  };
}

function tableOf(saturated: Pair<Measure>, paced: Pair<Measure>, rate: number): BenchTable {
  const ratio = saturated.ours.requestsPerSecond / saturated.baseline.requestsPerSecond;
  const p99 = paced.ours.p99 / paced.baseline.p99;
  const row = (what: string, unit: string, key: keyof Measure, of: Pair<Measure>) => ({
    ...{ what, unit, ours: of.ours[key], baseline: of.baseline[key] },
    ratio: of.ours[key] / of.baseline[key],
  });
  return {
    name: "GET /missions, 20 missions of 10 points, 32 connections",
    rows: [
      {
        ...row("throughput", "requests/s", "requestsPerSecond", saturated),
        goal: `at least ${RATIO_GOAL} of the baseline`,
        met: ratio >= RATIO_GOAL,
      },
      {
        ...row("CPU of the server process", "µs/request", "cpuMicroseconds", saturated),
        goal: "shown",
        met: true,
      },
      {
        ...row(`p99 at ${rate} requests/s`, "ms", "p99", paced),
        goal: `at most ${P99_GOAL} times the baseline`,
        met: p99 <= P99_GOAL,
      },
    ],
    notes: [
      "Baseline: node:http, jsonwebtoken with a key object, one prepared statement; no router, log, metrics or headers.",
      "The baseline reads the rows as objects and writes them as JSON; the gateway sends the points as Postgres wrote them.",
      "p99 is taken at 70 % of the baseline's saturation and counts from when a request was due.",
      "Postgres and the load generator share the machine's cores with the server under test.",
    ],
  };
}
