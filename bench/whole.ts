import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { commandCalls } from "../src/testing/scrape";
import { type Child, startChild } from "./relay/child";
import { type BenchRow, type BenchTable, median } from "./table";
import { setUpWhole } from "./whole/setup";

const SERVER_CORE = 1;
const FIELD_CORE = 0;
const MAX_VEHICLES = 2_600;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 5_000;
const ROUNDS = 3;
/** Frames a second of a watched vehicle. */
const FRAMES = 47;
const P99_LIMIT_MS = 100;
const LEAST_ARRIVED = 0.99;
/** Of a core, below which no position may be lost but one in a thousand. */
const BUSY = 0.8;
const MOST_LOST = 0.001;
/** The search for the knee ends when it is known to this part. */
const PRECISION = 0.06;

/** How many watchers each vehicle has, how many vehicles of theirs the CPU is measured with, and the goals. */
const LOADS = [
  { watchers: 0, vehicles: 600, mostRatio: 1.15, knee: 2_400 },
  { watchers: 1, vehicles: 200, mostRatio: 1.3, knee: 900 },
  { watchers: 5, vehicles: 80, mostRatio: 1.2, knee: 450 },
] as const;

interface Figures {
  /** Milliseconds of CPU a second for each vehicle. */
  readonly cpu: number;
  readonly busy: number;
  readonly p50: number;
  readonly p99: number;
  readonly arrived: number;
  readonly lost: number;
  readonly fieldBusy: number;
}

/** The vehicles' bytes in, the watchers' bytes out: one gateway as it is shipped, beside a bare program of the same work. */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  try {
    const field = startChild(join(__dirname, "telemetry", "field-process.js"), FIELD_CORE);
    stops.add(() => field.stop());
    const vehiclesPort = await field.ask<number>("vehicles", MAX_VEHICLES);
    const { token, env } = await setUpWhole(stops, MAX_VEHICLES, vehiclesPort);
    const world: World = { field, vehiclesPort, token, env };
    const perVehicle: number[] = [];
    for (const load of LOADS) {
      const [ours, bare] = [await cost("gateway", load, world), await cost("bare", load, world)];
      perVehicle.push(ours.cpu);
      const ratio = ours.cpu / bare.cpu;
      rows.push({
        what: `${load.vehicles} vehicles, each watched by ${load.watchers}: CPU of the server for a vehicle`,
        ...{ ours: ours.cpu, baseline: bare.cpu, ratio, unit: "ms a second" },
        ...{ goal: `at most ${load.mostRatio} times the baseline`, met: ratio <= load.mostRatio },
      });
      notes.push(`Watched by ${load.watchers}: ours ${describe(ours)}; baseline ${describe(bare)}.`);
    }
    const [, byOne = 0, byFive = 0] = perVehicle;
    const further = ((byFive - byOne) * 1000) / 4 / FRAMES;
    rows.push(ownFigure("each further watcher, for a frame", further, "µs", 6));
    for (const load of LOADS) rows.push(await knee(load, world, notes));
    rows.push(...(await memory(world)));
    rows.push(await opening(world));
    rows.push(await returning(world));
    rows.push(await acrossGateways(world, notes));
    return { name: "whole", rows, notes };
  } finally {
    await stops.clear();
  }
}

interface World {
  readonly field: Child;
  readonly vehiclesPort: number;
  readonly token: string;
  readonly env: Record<string, string>;
}

const ownFigure = (what: string, ours: number, unit: string, most: number): BenchRow => ({
  ...{ what, ours, baseline: Number.NaN, ratio: Number.NaN, unit },
  ...{ goal: `at most ${most} ${unit}`, met: ours <= most },
});

const describe = ({ p50, p99, lost, fieldBusy }: Figures): string =>
  `age p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, lost ${(lost * 100).toFixed(2)} %, field ${Math.round(fieldBusy * 100)} % of a core`;

/** A server of its own for the call: `gateway` or `bare`. */
async function withServer<T>(
  kind: "gateway" | "bare",
  { env, field }: World,
  call: (server: Child, port: number) => Promise<T>,
) {
  const server = startChild(join(__dirname, "whole", `${kind}-process.js`), SERVER_CORE, env);
  try {
    return await call(server, await server.ask<number>("port"));
  } finally {
    await field.ask("leave");
    await field.ask("fly", 0);
    await server.stop();
  }
}

type Load = (typeof LOADS)[number];

async function cost(kind: "gateway" | "bare", load: Load, world: World): Promise<Figures> {
  return withServer(kind, world, async (server, port) => {
    await fly(kind, server, port, load, load.vehicles, world);
    const measured: Figures[] = [];
    for (let round = 0; round < ROUNDS; round++) measured.push(await measure(server, load.vehicles, world));
    const cpu = median(measured.map((each) => each.cpu));
    return measured.find((each) => each.cpu === cpu) as Figures;
  });
}

/** Without watchers, five vehicles have one each, by whose frames the age is known. */
async function fly(
  kind: "gateway" | "bare",
  server: Child,
  port: number,
  load: Load,
  vehicles: number,
  world: World,
) {
  const { field, vehiclesPort, token } = world;
  await server.ask("hold", vehiclesPort, vehicles);
  const watched = load.watchers === 0 ? 5 : vehicles;
  await field.ask("watch", port, watched, Math.max(1, load.watchers), kind === "gateway" ? token : undefined);
  await field.ask("fly", vehicles);
  await pause(WARM_UP_MS);
}

async function measure(server: Child, vehicles: number, { field }: World): Promise<Figures> {
  const before = await server.ask<number>("cpuSeconds");
  const figures = await field.ask<Omit<Figures, "cpu" | "busy">>("measure", MEASURE_MS);
  const seconds = (await server.ask<number>("cpuSeconds")) - before;
  const busy = (seconds * 1000) / MEASURE_MS;
  return { ...figures, busy, cpu: (busy * 1000) / vehicles };
}

/** The most vehicles that one core serves in time, found by halving the gap around the goal. */
async function knee(load: Load, world: World, notes: string[]): Promise<BenchRow> {
  let least = 0;
  let tooMany = MAX_VEHICLES + 1;
  let next: number = load.knee;
  let lostAt: Figures | undefined;
  while (tooMany - least > Math.max(1, load.knee * PRECISION)) {
    const figures = await withServer("gateway", world, async (server, port) => {
      await fly("gateway", server, port, load, next, world);
      return measure(server, next, world);
    });
    const keptUp = figures.p99 < P99_LIMIT_MS && figures.arrived >= LEAST_ARRIVED;
    if (keptUp) least = next;
    else tooMany = next;
    // Five watched vehicles are too few to count losses of.
    if (load.watchers > 0 && figures.busy <= BUSY && figures.busy > (lostAt?.busy ?? 0)) lostAt = figures;
    next =
      keptUp && tooMany > MAX_VEHICLES
        ? Math.min(MAX_VEHICLES, Math.ceil(next * 1.2))
        : Math.floor((least + tooMany) / 2);
    if (next === least) break;
  }
  if (lostAt)
    notes.push(
      `Watched by ${load.watchers}, ${Math.round(lostAt.busy * 100)} % of a core: lost ${(lostAt.lost * 100).toFixed(3)} % of positions (goal: under ${MOST_LOST * 100} %).`,
    );
  return {
    what: `most vehicles watched by ${load.watchers}, p99 age under ${P99_LIMIT_MS} ms, one core`,
    ...{ ours: least, baseline: Number.NaN, ratio: Number.NaN, unit: "vehicles" },
    ...{ goal: `at least ${load.knee}`, met: least >= load.knee },
  };
}

/** Of the heap, for each further link and each further watcher. */
async function memory(world: World): Promise<BenchRow[]> {
  const [links, watchers] = [500, 1_000];
  return withServer("gateway", world, async (server, port) => {
    const { field, vehiclesPort, token } = world;
    const heap = () => server.ask<number>("heapBytes");
    await server.ask("hold", vehiclesPort, 10);
    const before = await heap();
    await server.ask("hold", vehiclesPort, 10 + links);
    await pause(WARM_UP_MS);
    const linked = await heap();
    await field.ask("watch", port, 10, 1, token);
    await pause(WARM_UP_MS);
    const few = await heap();
    await field.ask("watch", port, 10 + watchers / 5, 5, token);
    await pause(WARM_UP_MS);
    const many = await heap();
    return [
      ownFigure("heap of a link", (linked - before) / links / 1000, "kB", 16),
      ownFigure("heap of a watcher", (many - few) / watchers / 1000, "kB", 30),
    ];
  });
}

async function opening(world: World): Promise<BenchRow> {
  const links = 1_000;
  const milliseconds = await withServer("gateway", world, (server) =>
    server.ask<number>("hold", world.vehiclesPort, links),
  );
  return ownFigure(`${links} links opened at once`, milliseconds / 1000, "s", 1.5);
}

/** Of a fleet whose vehicles were away for five seconds, from their return until all links are open again. */
async function returning(world: World): Promise<BenchRow> {
  const [vehicles, awayMs] = [200, 5_000];
  return withServer("gateway", world, async (server) => {
    const { field, vehiclesPort } = world;
    await server.ask("hold", vehiclesPort, vehicles);
    await field.ask("away", true);
    await pause(awayMs);
    const began = performance.now();
    await field.ask("away", false);
    await server.ask("allOpen", vehicles);
    const what = `${vehicles} links open again, of vehicles that were away for ${awayMs / 1000} s`;
    return ownFigure(what, (performance.now() - began) / 1000, "s", 5);
  });
}

/** What Redis carries for a vehicle that one gateway holds and a watcher of another watches. */
async function acrossGateways(world: World, notes: string[]): Promise<BenchRow> {
  const vehicles = 100;
  const leases = { LINK_LEASES: "redis", GATEWAY_PEER_SECRET: "a secret for benchmarks only" };
  const peers = { GATEWAY_PEER_PORT: "0", GATEWAY_PEER_HOST: "127.0.0.1" };
  const shared: World = { ...world, env: { ...world.env, ...leases, ...peers } };
  return withServer("gateway", shared, (holder) =>
    withServer("gateway", shared, async (_server, port) => {
      const { field, vehiclesPort, token, env } = shared;
      await holder.ask("hold", vehiclesPort, vehicles);
      await field.ask("fly", vehicles);
      await pause(WARM_UP_MS);
      const unwatched = await traffic(String(env.REDIS_URL));
      await field.ask("watch", port, vehicles, 1, token);
      await pause(WARM_UP_MS);
      const watched = await traffic(String(env.REDIS_URL));
      const kilobytes = (watched.bytes - unwatched.bytes) / vehicles / 1000;
      const messages = (watched.messages - unwatched.messages) / vehicles;
      const linked = unwatched.bytes / vehicles / 1000;
      notes.push(
        `Redis carries ${kilobytes.toFixed(1)} kB a second for such a vehicle, in and out, and ${linked.toFixed(1)} kB for each linked one.`,
      );
      return ownFigure("Redis messages for a vehicle watched at another gateway", messages, "a second", 20);
    }),
  );
}

/** Of a second: bytes in and out, and published messages. */
async function traffic(redisUrl: string): Promise<{ bytes: number; messages: number }> {
  const redis = new Redis(redisUrl);
  const read = async () => {
    const inAndOut = (await redis.info("stats")).matchAll(/total_net_(?:in|out)put_bytes:(\d+)/g);
    const bytes = [...inAndOut].reduce((sum, [, count]) => sum + Number(count), 0);
    return { bytes, messages: await commandCalls(redis, "publish") };
  };
  const before = await read();
  await pause(MEASURE_MS);
  const after = await read();
  redis.disconnect();
  const seconds = MEASURE_MS / 1000;
  return {
    bytes: (after.bytes - before.bytes) / seconds,
    messages: (after.messages - before.messages) / seconds,
  };
}
