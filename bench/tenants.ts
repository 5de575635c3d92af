import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ApiClient } from "../src/testing/client";
import { startChild } from "./relay/child";
import { type BenchRow, type BenchTable, median } from "./table";
import { attacks } from "./tenants/attacks";
import { measure, order, type Service } from "./tenants/probes";
import { startTenantsWorld, type TenantsWorld } from "./tenants/world";

const PHASE_MS = 12_000;
/** A phase without an attack precedes each so many attacks. */
const ATTACKS_PER_QUIET = 3;
const ORDERS = 100;
const USES = 20_000;
const ROUNDS = 10;
const WARM_UP = 2;
const MAX_MEGABYTES = 700;
/** The chart's Redis is killed there. */
const MAX_REDIS_MEGABYTES = 512;
const ALL_AT_ONCE = "all at once";
/** Their goal is the gateway's memory; the other figures are shown. */
const ABOUT_MEMORY = ["long lists that are not read", ALL_AT_ONCE];

/** What one tenant has while another attacks: each attack alone, then all at once; and what quotas cost an order. */
export async function run(): Promise<BenchTable> {
  const world = await startTenantsWorld({});
  const rows: BenchRow[] = [];
  try {
    let round = 0;
    // The first round warms up.
    await measure(world, delay(PHASE_MS), round++);
    const quiet: Service[] = [];
    const attackedBy: [string, Service][] = [];
    for (const [at, names] of [
      ...Object.keys(attacks).map((name) => [name]),
      Object.keys(attacks),
    ].entries()) {
      if (at % ATTACKS_PER_QUIET === 0) {
        const service = await measure(world, delay(PHASE_MS), round++);
        console.log("nothing", JSON.stringify(service));
        quiet.push(service);
      }
      const [name = ""] = names;
      attackedBy.push([names.length === 1 ? name : ALL_AT_ONCE, await attacked(world, names, round++)]);
    }
    const baseline = medianOf(quiet);
    for (const [what, under] of attackedBy) rows.push(...rowsOf(what, under, baseline));
    rows.push(
      memoryRow("the gateway's memory", world.peakMegabytes(), MAX_MEGABYTES),
      memoryRow("Redis's memory", await world.redisPeakMegabytes(), MAX_REDIS_MEGABYTES),
    );
  } finally {
    await world.clear();
  }
  rows.push(...(await costOfQuotas()));
  return {
    name: "tenants",
    rows,
    notes: [
      `Each attack lasts ${PHASE_MS / 1000} s, four calls at a time, as fast as they are answered, at the lowest priority.`,
      "Baseline: the same service without an attack, the median of phases between the attacks. The p99 of the orders is of some hundred.",
    ],
  };
}

const medianOf = (services: readonly Service[]): Service => {
  const of = (part: keyof Service) => median(services.map((service) => service[part]));
  return {
    ...{ authP99: of("authP99"), orderP99: of("orderP99"), thumbnail: of("thumbnail") },
    ...{ resetMail: of("resetMail"), telemetryGap: of("telemetryGap"), lostPositions: of("lostPositions") },
  };
};

const memoryRow = (what: string, peak: number, most: number): BenchRow => ({
  ...{ what: `${what} at its most`, ours: peak, baseline: most, ratio: peak / most },
  ...{ unit: "MB", goal: `at most ${most}`, met: peak <= most },
});

async function attacked(world: TenantsWorld, names: readonly string[], round: number): Promise<Service> {
  const children = names.map((name) => ({
    name,
    process: startChild(join(__dirname, "tenants", "attack-process.js"), "0-1"),
  }));
  try {
    for (const { name, process } of children) await process.ask("prepare", name, await world.newAttack());
    const rounds = Promise.all(children.map(({ process }) => process.ask<number>("run", PHASE_MS)));
    const service = await measure(world, rounds, round);
    console.log(
      names.join(", "),
      await rounds,
      JSON.stringify(service),
      `${Math.round(world.peakMegabytes())} MB`,
    );
    return service;
  } finally {
    await Promise.all(children.map(({ process }) => process.stop()));
  }
}

function rowsOf(what: string, under: Service, quiet: Service): BenchRow[] {
  const row = (
    part: keyof Service,
    title: string,
    goal: string,
    isMet: (ours: number, baseline: number) => boolean,
  ): BenchRow => ({
    ...{ what: `${what}: ${title}`, ours: under[part], baseline: quiet[part], unit: "ms" },
    ratio: under[part] / quiet[part],
    ...(ABOUT_MEMORY.includes(what)
      ? { goal: "shown", met: true }
      : { goal, met: isMet(under[part], quiet[part]) }),
  });
  const atMost5s = (ours: number) => ours <= 5_000;
  return [
    row("authP99", "GET /auth p99", "at most 3 times the baseline", (ours, idle) => ours <= 3 * idle),
    row("orderP99", "an order p99", "at most 50 ms over the baseline", (ours, idle) => ours <= idle + 50),
    row("thumbnail", "a thumbnail", "at most 5 s", atMost5s),
    row("resetMail", "a reset mail", "at most 5 s", atMost5s),
    row("telemetryGap", "longest pause of telemetry", "at most 1 s", (ours) => ours <= 1_000),
    {
      ...row("lostPositions", "positions that were not shown", "none", (ours) => ours === 0),
      unit: "positions",
    },
  ];
}

/** CPU of the gateway for an order and for the use of its quota alone; the median of some rounds each, in turns. */
async function costOfQuotas(): Promise<BenchRow[]> {
  const world = await startTenantsWorld({ QUOTA_ORDERS: "1000000" }, 8);
  const orders = () =>
    Promise.all(
      world.fleet.map(async ({ base, token, droneId }) => {
        const api = new ApiClient(base, token);
        for (let at = 0; at < ORDERS; at++) await order(api, droneId);
      }),
    );
  try {
    const [ordered, counted]: [number[], number[]] = [[], []];
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const ofOrder = await cpuOf(world, ORDERS * world.fleet.length, orders);
      const ofUse = await cpuOf(world, USES, () => world.countOrders(USES));
      // The first rounds warm up.
      if (round < WARM_UP) continue;
      ordered.push(ofOrder);
      counted.push(ofUse);
    }
    const ours = median(ordered);
    // The difference of orders with their quota and without it is within the error of either.
    const baseline = ours - median(counted);
    const ratio = ours / baseline;
    return [
      {
        ...{ what: "an order, beside the same less the use of its quota", ours, baseline, ratio },
        ...{ unit: "ms of CPU", goal: "at most 1.03", met: ratio <= 1.03 },
      },
    ];
  } finally {
    await world.clear();
  }
}

/** Of the gateway, in ms, for each of so many things that `run` does. */
async function cpuOf(world: TenantsWorld, times: number, run: () => Promise<unknown>): Promise<number> {
  const before = await world.cpuSeconds();
  await run();
  return (((await world.cpuSeconds()) - before) * 1_000) / times;
}
