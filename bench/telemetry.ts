import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "./relay/child";
import type { BenchTable } from "./table";

const SERVER_CORE = 1;
const FIELD_CORE = 0;
const WATCHERS = 20;
const WARM_UP_MS = 1_000;
const MEASURE_MS = 2_000;
/** Other work of the machine can only make a step look worse than it is. */
const TRIES = 3;
const P99_LIMIT_MS = 50;
/** A server that leaves frames out is not keeping up, however young those are that it sends. */
const LEAST_ARRIVED = 0.9;
const FIRST_STEP = 16;
const MAX_VEHICLES = 512;
/** The search ends when the answer is known to a twentieth. */
const PRECISION = 0.05;

interface Step {
  readonly vehicles: number;
  readonly p50: number;
  readonly p99: number;
  readonly arrived: number;
  readonly megabytesPerSecond: number;
  /** Part of its core that the field took: near 1 it is the field that is measured. */
  readonly fieldBusy: number;
  /** Part of its core that the server took. */
  readonly serverBusy: number;
}

/**
 * How many vehicles with twenty dashboards each one core serves while the 99th percentile of a position's
 * age, from the vehicle's bytes to a watcher's socket, stays under 50 ms; beside bare Socket.IO that emits
 * the same payloads by a timer.
 */
export async function run(): Promise<BenchTable> {
  const ours = await capacity("gateway");
  const baseline = await capacity("bare");
  const ratio = ours.vehicles / baseline.vehicles;
  return {
    name: "telemetry",
    rows: [
      {
        what: "10 Hz vehicles with 20 dashboards each, p99 age under 50 ms, one core",
        ours: ours.vehicles,
        baseline: baseline.vehicles,
        ratio,
        unit: "vehicles",
        goal: "at least that of the baseline",
        met: ratio >= 1,
      },
    ],
    notes: [
      "Ours reads MAVLink over TCP; the baseline emits equal payloads from memory.",
      `At their limits: ours ${describe(ours)}; baseline ${describe(baseline)}.`,
    ],
  };
}

const describe = ({ vehicles, p50, p99, megabytesPerSecond, serverBusy, fieldBusy }: Step): string =>
  `${((serverBusy * 1000) / vehicles).toFixed(1)} ms of CPU a second for a vehicle, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${megabytesPerSecond.toFixed(1)} MB/s, server ${percent(serverBusy)} and field ${percent(fieldBusy)} of a core`;
const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** The largest step that kept up, found by doubling and then halving the gap. */
async function capacity(server: "gateway" | "bare"): Promise<Step> {
  const start = (name: string, core: number) =>
    startChild(join(__dirname, "telemetry", `${name}-process.js`), core);
  const [serving, field] = [start(server, SERVER_CORE), start("field", FIELD_CORE)];
  try {
    const port = await serving.ask<number>("listen", await field.ask<number>("vehicles", MAX_VEHICLES));
    let best: Step | undefined;
    let tooMany = MAX_VEHICLES;
    let next = FIRST_STEP;
    while (next < tooMany) {
      const step = await tryStep(serving, field, port, next);
      if (keptUp(step)) best = step;
      else tooMany = next;
      const least = best?.vehicles ?? 0;
      if (tooMany - least <= Math.max(1, least * PRECISION)) break;
      next =
        tooMany === MAX_VEHICLES ? Math.min(least * 2, MAX_VEHICLES - 1) : Math.floor((least + tooMany) / 2);
    }
    if (!best) throw new Error(`Not even one vehicle was served in time by ${server}.`);
    return best;
  } finally {
    await Promise.all([serving.stop(), field.stop()]);
  }
}

const keptUp = ({ p99, arrived }: Step): boolean => p99 < P99_LIMIT_MS && arrived >= LEAST_ARRIVED;

async function tryStep(serving: Child, field: Child, port: number, vehicles: number): Promise<Step> {
  let step = await oneTry(serving, field, port, vehicles);
  for (let tries = 1; tries < TRIES && !keptUp(step); tries++) {
    step = await oneTry(serving, field, port, vehicles);
  }
  return step;
}

async function oneTry(serving: Child, field: Child, port: number, vehicles: number): Promise<Step> {
  await fly(serving, field, 0);
  await field.ask("watch", port, vehicles, WATCHERS, "bench");
  await fly(serving, field, vehicles);
  await pause(WARM_UP_MS);
  const before = await serving.ask<number>("cpuSeconds");
  const figures = await field.ask<Omit<Step, "vehicles" | "serverBusy">>("measure", MEASURE_MS);
  const after = await serving.ask<number>("cpuSeconds");
  return { vehicles, ...figures, serverBusy: ((after - before) * 1000) / MEASURE_MS };
}

async function fly(serving: Child, field: Child, vehicles: number): Promise<void> {
  await field.ask("fly", vehicles);
  await serving.ask("fly", vehicles);
}
