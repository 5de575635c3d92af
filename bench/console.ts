import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../src/platform/process/version";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import {
  type Flown,
  heapBytes,
  measure,
  type Open,
  opener,
  startChromium,
  subjects,
} from "./console/browser";
import { stickAges } from "./console/sticks";
import { type Child, startChild } from "./relay/child";
import { type BenchRow, type BenchTable, median, percentile } from "./table";

const DRONES = 500;
const ROUNDS = 3;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 8_000;
/** An hour of one drone at ten a second. */
const MESSAGES = 36_000;
const CORES = "0-1";

type Pair<Of> = Readonly<Record<keyof typeof subjects, Of>>;
interface Visit extends Flown {
  readonly usableMs: number;
}

/** The console in a browser, beside a bare MapLibre page with the same markers. */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  try {
    const bareFolder = buildBarePage(stops);
    const browser = await startChromium(stops);
    const open = opener(browser);
    const visits = await inTurns(startServer(stops, bareFolder, DRONES), ROUNDS, (server, who) =>
      visitFleet(open, server, who),
    );
    const growth = await inTurns(startServer(stops, bareFolder, 1), 1, (server, who) =>
      heapGrowth(open, server, who),
    );
    const ages = await stickAges(browser, stops);
    return { name: "console", rows: [...fleetRows(visits), heapRow(growth), stickRow(ages)], notes };
  } finally {
    await stops.clear();
  }
}

function buildBarePage(stops: CleanupStack): string {
  const folder = mkdtempSync(join(tmpdir(), "fleet-bench-bare-"));
  stops.add(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(packageRoot, "bench/console/bare/vite.config.mts");
  const args = ["build", "--config", config, "--outDir", folder, "--logLevel", "warn"];
  execFileSync(join(packageRoot, "node_modules/.bin/vite"), args, { stdio: "inherit" });
  return folder;
}

function startServer(stops: CleanupStack, bareFolder: string, drones: number): Child {
  const child = startChild(join(__dirname, "console/server-process.js"), CORES, {
    CONSOLE_FOLDER: join(packageRoot, "dist/console"),
    BARE_FOLDER: bareFolder,
    DRONES: String(drones),
  });
  stops.add(() => child.stop());
  return child;
}

/** In each round both are measured, and they take turns in going first. */
async function inTurns<Of>(
  server: Child,
  rounds: number,
  measureOne: (server: Child, who: keyof typeof subjects) => Promise<Of>,
): Promise<Pair<Of[]>> {
  const seen = { ours: [] as Of[], baseline: [] as Of[] };
  for (let round = 0; round < rounds; round++) {
    const order = ["baseline", "ours"] as const;
    for (const who of round % 2 ? order.toReversed() : order) seen[who].push(await measureOne(server, who));
  }
  return seen;
}

/** All drones fly while the page is opened, and then for a while. */
async function visitFleet(open: Open, server: Child, who: keyof typeof subjects): Promise<Visit> {
  const url = await server.ask<string>("url");
  await server.ask("fly");
  const opened = await open(url, subjects[who]);
  try {
    await measure(opened, WARM_UP_MS);
    return { usableMs: opened.usableMs, ...(await measure(opened, MEASURE_MS)) };
  } finally {
    await opened.close();
    await server.ask("land");
  }
}

/** Megabytes that the messages of an hour leave behind. */
async function heapGrowth(open: Open, server: Child, who: keyof typeof subjects): Promise<number> {
  const url = await server.ask<string>("url");
  await server.ask("fly");
  const opened = await open(url, subjects[who]);
  try {
    await server.ask("land");
    await server.ask("say", MESSAGES / 20);
    const before = await heapBytes(opened);
    await server.ask("say", MESSAGES);
    return ((await heapBytes(opened)) - before) / 1e6;
  } finally {
    await opened.close();
  }
}

function fleetRows({ ours, baseline }: Pair<Visit[]>): BenchRow[] {
  const pair = (of: (visit: Visit) => number): Pair<number> => ({
    ours: median(ours.map(of)),
    baseline: median(baseline.map(of)),
  });
  const frames = pair(({ framesPerSecond }) => framesPerSecond);
  const script = pair(({ scriptMs }) => scriptMs);
  const age = pair(({ ages }) => percentile(ages, 0.95));
  const usable = pair(({ usableMs }) => usableMs);
  const whom = `${DRONES} drones at 10 Hz`;
  return [
    row(`${whom}: frames`, frames, "frames/s", "at least 50", frames.ours >= 50),
    row(
      `${whom}: script`,
      script,
      "ms/s",
      "at most 1.5 times the baseline",
      script.ours <= 1.5 * script.baseline,
    ),
    row(`${whom}: a state until the frame that shows it, p95`, age, "ms", "at most 100 ms", age.ours <= 100),
    row(
      `${whom}: the page can be used`,
      usable,
      "ms",
      "at most 1.3 times the baseline",
      usable.ours <= 1.3 * usable.baseline,
    ),
  ];
}

const heapRow = ({
  ours: [ours = Number.NaN],
  baseline: [baseline = Number.NaN],
}: Pair<number[]>): BenchRow =>
  row("36,000 states of one drone: the heap grows by", { ours, baseline }, "MB", "under 5 MB", ours < 5);

function stickRow(ages: Pair<number[]>): BenchRow {
  const p95 = { ours: percentile(ages.ours, 0.95), baseline: percentile(ages.baseline, 0.95) };
  return row("from a key to its stick frame in Redis, p95", p95, "ms", "at most 60 ms", p95.ours <= 60);
}

const row = (
  what: string,
  { ours, baseline }: Pair<number>,
  unit: string,
  goal: string,
  met: boolean,
): BenchRow => ({
  ...{ what, ours, baseline, ratio: ours / baseline, unit, goal, met },
});

const notes = [
  "Baseline: MapLibre and Socket.IO alone, with the same markers; no list, no session, no requests.",
  "A stub speaks the API's and the sockets' part that the pages use: the gateway tells a fleet's states once a second.",
  "Chromium draws WebGL by SwiftShader on the cores that it shares with the stub. Medians of 3 rounds in turns.",
  "Usable: a drone is drawn on the map, and the list has its rows, from the navigation with an empty cache. A state's age is taken in the frame's callback, from when the stub made it.",
  "Sticks: the laptop's stack with its relay; the baseline is a page with nothing but a timer, 20 frames a second, and a socket.",
];
