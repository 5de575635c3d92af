import { setTimeout as pause } from "node:timers/promises";
import { type PlaneName, planeNames, planes } from "../../src/domain/tunnel-planes";
import { until } from "../../src/testing/until";
import { setPeers } from "../../src/tunnel/wireguard/apply";
import { median } from "../table";
import type { Peer } from "./rows";
import { type Daemon, emptyHub, INDEX_KEY, type Testbed } from "./testbed";

const STEADY_SECONDS = 30;
/** A command may take twenty seconds. */
const BARE_SECONDS = 12;
const AUDITED_AFTER_MS = 15_000;
const CHANGES = 40;

export interface ScaleRun {
  /** Seconds until every peer is live. */
  readonly rebuild: Record<"bare" | "withIndex" | "withoutIndex", number>;
  /** CPU seconds a second, wireguard-go's part included. */
  readonly steadyCpu: Record<"ours" | "bare", number>;
  /** Milliseconds. */
  readonly change: Record<"ours" | "bare", number>;
  /** Of the daemon, before and after the steady time and the changes. */
  readonly rssBytes: readonly [number, number];
}

/** As many peers from nothing to a steady state, with real wireguard-go and a real set. */
export async function measureScale(testbed: Testbed, count: number): Promise<ScaleRun> {
  const peers = await testbed.fill(count);
  const bare = await secondsOf(() => setByHand(testbed, peers));
  await emptyHub(testbed.hub);
  let daemon: Daemon | undefined;
  const start = async () => {
    daemon = await testbed.startDaemon();
    await daemon.complete();
    return daemon;
  };
  const withIndex = await secondsOf(start);
  const running = daemon as unknown as Daemon;
  // The store is compared with the index once, then every five minutes.
  await pause(AUDITED_AFTER_MS);
  const before = await running.ask<number>("rssBytes");
  const ours = await steadyCpu(testbed, running);
  const changed = peers.filter(({ plane }) => plane === "drones").slice(0, CHANGES);
  const change = await removals(testbed, running, changed);
  const after = await running.ask<number>("rssBytes");
  await running.stop();
  const byHand = await changesByHand(testbed, changed);
  const bareCpu = await bareLoopCpu(testbed);
  await emptyHub(testbed.hub);
  await testbed.fill(count);
  await testbed.objects.ask("forget", INDEX_KEY);
  const withoutIndex = await secondsOf(start);
  await (daemon as unknown as Daemon).stop();
  await emptyHub(testbed.hub);
  return {
    rebuild: { bare, withIndex, withoutIndex },
    steadyCpu: { ours, bare: bareCpu },
    change: { ours: change, bare: byHand },
    rssBytes: [before, after],
  };
}

/** New interfaces, and `wg set` in the largest batches that a command line takes. */
async function setByHand({ hub }: Testbed, peers: readonly Peer[]): Promise<void> {
  const setPlane = async (name: PlaneName) => {
    const link = planes[name].interface;
    await hub.os.run(["setsid", "env", "LOG_LEVEL=silent", "wireguard-go", link]);
    const settings = peers
      .filter(({ plane }) => plane === name)
      .map(({ publicKey, ip }) => ({ publicKey, args: ["allowed-ips", `${ip}/32`] }));
    const failures = await setPeers(hub.os, link, settings);
    if (failures.size > 0) throw new AggregateError(failures.values(), "By hand some peers were not set.");
  };
  await Promise.all(planeNames.map(setPlane));
}

const TICKS_PER_SECOND = 100;

async function wireguardCpu({ hub }: Testbed): Promise<number> {
  const text = await hub.shell('for pid in $(pidof wireguard-go); do cat "/proc/$pid/stat"; done');
  const ticks = text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
      return Number(fields[11]) + Number(fields[12]);
    });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

async function steadyCpu(testbed: Testbed, daemon: Daemon): Promise<number> {
  const used = async () => (await daemon.ask<number>("treeCpuSeconds")) + (await wireguardCpu(testbed));
  const before = await used();
  const seconds = await secondsOf(() => pause(STEADY_SECONDS * 1_000));
  return ((await used()) - before) / seconds;
}

/** In a shell that entered the hub's namespace once, as the daemon's have. */
async function bareLoopCpu(testbed: Testbed): Promise<number> {
  const before = await wireguardCpu(testbed);
  let said = "";
  const seconds = await secondsOf(async () => {
    const input = `end=$(($(date +%s) + ${BARE_SECONDS}))
    while [ "$(date +%s)" -lt "$end" ]; do
      wg show users0 dump >/dev/null; wg show drones0 dump >/dev/null; sleep 1
    done
    times`;
    said = await testbed.hub.shell(input);
  });
  const times = [...said.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  const own = times.reduce((sum, one) => sum + one, 0);
  return (own + (await wireguardCpu(testbed)) - before) / seconds;
}

/** Median milliseconds from just before the commit of a drone's deletion to the end of the `wg set` that follows. */
async function removals({ db }: Testbed, daemon: Daemon, drones: readonly Peer[]): Promise<number> {
  const took: number[] = [];
  for (const { rowId, publicKey } of drones) {
    await pause(150 + Math.random() * 100);
    const begun = Date.now();
    await db("drones").where({ id: rowId }).update({ deleted_at: db.fn.now() });
    const ended = await until(async () => (await daemon.ask<number>("setAt", publicKey)) > begun && true);
    if (ended) took.push((await daemon.ask<number>("setAt", publicKey)) - begun);
  }
  return median(took);
}

async function changesByHand({ hub }: Testbed, drones: readonly Peer[]): Promise<number> {
  const took: number[] = [];
  for (const { ip, publicKey } of drones) {
    const seconds = await secondsOf(async () => {
      await hub.os.run(["wg", "set", "drones0", "peer", publicKey, "allowed-ips", `${ip}/32`]);
      await hub.os.run(["wg", "show", "drones0", "dump"]);
    });
    took.push(seconds * 1_000);
  }
  return median(took);
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
