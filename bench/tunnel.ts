import { type BenchRow, type BenchTable, median, percentile } from "./table";
import { type ForwardingRun, measureForwarding } from "./tunnel/forwarding";
import { LatencyProbe, type LatencyRun } from "./tunnel/latency";
import { measureScale, type ScaleRun } from "./tunnel/scale";
import { buildTestbed } from "./tunnel/testbed";

const SIZES = [100, 1_000, 5_000];
const SCALE = 10_000;

/** The tunnel service on a hub in a namespace of its own, with real wireguard-go, beside the bare commands. */
export async function run(): Promise<BenchTable> {
  const testbed = await buildTestbed();
  try {
    const forwarding = await measureForwarding();
    const scale = await measureScale(testbed, SCALE);
    const probe = await LatencyProbe.create(testbed);
    const runs: LatencyRun[] = [];
    for (const peers of SIZES) runs.push(await probe.measure(testbed, peers));
    return tableOf(runs, scale, forwarding);
  } finally {
    await testbed.clear();
  }
}

const modes = [
  ["quiet", "quiet", 250],
  ["busy", "50 changes/s", 1_000],
] as const;
const kinds = ["allowed", "blocked"] as const;

function tableOf(runs: readonly LatencyRun[], scale: ScaleRun, forwarding: ForwardingRun): BenchTable {
  const latencies = runs.flatMap((run) =>
    modes.flatMap(([mode, words, limitMs]) =>
      kinds.map((kind) => {
        const what = `commit to first packet ${kind}, ${run.peers.toLocaleString("en-US")} peers, ${words}, p99`;
        const ours = percentile(run[mode][kind], 0.99);
        return row(
          what,
          ours,
          percentile(run.byHand[kind], 0.99),
          "ms",
          `under ${limitMs} ms`,
          ours < limitMs,
        );
      }),
    ),
  );
  const { rebuild, steadyCpu, change, rssBytes } = scale;
  const cpu = { ours: steadyCpu.ours * 1_000, bare: steadyCpu.bare * 1_000 };
  const [before, after] = rssBytes.map((bytes) => bytes / 2 ** 20) as [number, number];
  const peers = `${SCALE.toLocaleString("en-US")} peers`;
  return {
    name: "tunnel",
    rows: [
      ...latencies,
      row(
        `steady state, ${peers}`,
        cpu.ours,
        cpu.bare,
        "ms of CPU a second",
        "at most twice",
        cpu.ours <= 2 * cpu.bare,
      ),
      row(
        `one change, ${peers}`,
        change.ours,
        change.bare,
        "ms",
        "at most 1.5 times",
        change.ours <= 1.5 * change.bare,
      ),
      row(
        `rebuild of ${peers}, with the index`,
        rebuild.withIndex,
        rebuild.bare,
        "s",
        "under 3 s more",
        rebuild.withIndex - rebuild.bare < 3,
      ),
      row(
        `rebuild of ${peers}, without it`,
        rebuild.withoutIndex,
        rebuild.bare,
        "s",
        "under 60 s",
        rebuild.withoutIndex < 60,
      ),
      row(
        `daemon's memory after ${peers}' steady time`,
        after,
        before,
        "MiB",
        "at most 1.3 times",
        after <= 1.3 * before,
      ),
      row(
        "forwarding at 10,000 pairs",
        forwarding.many,
        forwarding.one,
        "Mb/s",
        "at least 0.9 of one pair's",
        forwarding.many >= 0.9 * forwarding.one,
      ),
    ],
    notes: [
      `p50, ms: ${runs
        .map(
          (run) =>
            `${run.peers} peers ${modes.map(([mode]) => kinds.map((kind) => median(run[mode][kind])).join("/")).join(", ")}, by hand ${kinds.map((kind) => median(run.byHand[kind])).join("/")}`,
        )
        .join(
          "; ",
        )} (allowed/blocked, quiet then busy). Without notices a change would wait for the 10 s tick.`,
      "Baselines: `ipset restore` by hand; a loop of `wg show dump` on both interfaces each second, wireguard-go's part on both sides; `wg set` and `wg show dump`; `wg set` in batches of 500; the same memory before; one pair.",
      "Packets: UDP each 2 ms through two tunnels, echoed by the far side. The time counts from just before the statement, its commit included.",
      `Forwarding through a plain list of 50,000 rules in place of the set: ${Math.round(forwarding.rules)} Mb/s, ${(forwarding.rules / forwarding.one).toFixed(2)} of one pair's. One TCP stream over plain veth, packets of 1350 bytes.`,
      "The store of client configs is a fake in memory; Postgres, the clients and the load share the machine's cores.",
    ],
  };
}

const row = (
  what: string,
  ours: number,
  baseline: number,
  unit: string,
  goal: string,
  met: boolean,
): BenchRow => ({ what, ours, baseline, ratio: ours / baseline, unit, goal, met });
