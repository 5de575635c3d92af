import { setTimeout as pause } from "node:timers/promises";
import type { Namespace } from "../../src/testing/system/namespaces/namespace";
import { VpnClient } from "../../src/testing/system/namespaces/vpn-client";
import { until } from "../../src/testing/until";
import type { Peer } from "./rows";
import { configOf, HUB_ADDRESS, type Testbed } from "./testbed";

/** Enough that one slow change, such as one that meets the audit of the store, is not the 99th percentile. */
const CYCLES = 120;
const BY_HAND = 15;
const CHANGES_PER_SECOND = 50;
const STREAM = "probe";
const PORT = 14900;
/** Ports of a pair, as the firewall opens them. */
const ports = ["tcp:5001", "tcp:8554", "udp:8554", "udp:14900", "tcp:22"];

/** Milliseconds from just before the commit, the commit included. */
export interface Latencies {
  readonly allowed: number[];
  readonly blocked: number[];
}

export interface LatencyRun {
  readonly peers: number;
  readonly quiet: Latencies;
  readonly busy: Latencies;
  /** `ipset` by hand, with no daemon there. */
  readonly byHand: Latencies;
}

/** An operator and a drone with real tunnels among many peers; the drone changes its owner to and fro. */
export class LatencyProbe {
  private constructor(
    private readonly operator: VpnClient,
    private readonly drone: VpnClient,
  ) {}

  static async create({ hub }: Testbed): Promise<LatencyProbe> {
    const operator = await VpnClient.create("operator", hub, HUB_ADDRESS, 1);
    const drone = await VpnClient.create("drone", hub, HUB_ADDRESS, 2);
    await drone.node.echo({ protocol: "udp", port: PORT });
    return new LatencyProbe(operator, drone);
  }

  async measure(testbed: Testbed, peers: number): Promise<LatencyRun> {
    const rows = await testbed.fill(peers);
    const of = (plane: Peer["plane"]) => rows.filter((row) => row.plane === plane);
    const [[user, other], [drone]] = [of("users"), of("drones")] as [[Peer, Peer], [Peer]];
    await this.operator.join(configOf(user));
    await this.drone.join(configOf(drone));
    const daemon = await testbed.startDaemon();
    await daemon.complete();
    const { node } = this.operator;
    const stream = `${STREAM} ${peers}`;
    await node.stream(stream, { protocol: "udp", host: drone.ip, port: PORT }, 2);
    await until(async () => (await node.report(stream)).echoed > 0, 20_000);
    const own = (owner: Peer) => () =>
      testbed.db("drones").where({ id: drone.rowId }).update({ user_id: owner.rowId });
    const quiet = await alternate(node, stream, own(other), own(user), CYCLES);
    const stop = disturb(testbed, rows.slice(4));
    const busy = await alternate(node, stream, own(other), own(user), CYCLES);
    await stop();
    await daemon.stop();
    const edit = (verb: string) => () =>
      testbed.hub.os.run(["ipset", "restore", "-exist"], {
        input: ports.map((port) => `${verb} fleet-pairs ${user.ip},${port},${drone.ip}\n`).join(""),
      });
    const byHand = await alternate(node, stream, edit("del"), edit("add"), BY_HAND);
    return { peers, quiet, busy, byHand };
  }
}

/** Close and open again and again, at moments that follow no rhythm, and see when packets notice. */
async function alternate(
  node: Namespace,
  stream: string,
  close: () => PromiseLike<unknown>,
  open: () => PromiseLike<unknown>,
  cycles: number,
): Promise<Latencies> {
  const allowed: number[] = [];
  const blocked: number[] = [];
  for (let cycle = 0; cycle < cycles; cycle++) {
    await pause(50 + Math.random() * 200);
    const closedAt = Date.now();
    await close();
    const { lastEchoAt } = await until(async () => {
      const report = await node.report(stream);
      return Date.now() - report.lastEchoAt > 200 && report;
    });
    blocked.push(Math.max(0, lastEchoAt - closedAt));
    const openedAt = Date.now();
    await open();
    const { resumedAt } = await until(async () => {
      const report = await node.report(stream);
      return report.resumedAt >= openedAt && report;
    });
    allowed.push(resumedAt - openedAt);
  }
  return { allowed, blocked };
}

/** Other rows change: owners, keys, drones that go and come back. Resolves the returned call when it has ended. */
function disturb({ db }: Testbed, others: readonly Peer[]): () => Promise<void> {
  const users = others.filter(({ plane }) => plane === "users");
  const drones = others.filter(({ plane }) => plane === "drones");
  const any = (peers: readonly Peer[]) => peers[Math.floor(Math.random() * peers.length)] as Peer;
  const changes = [
    () =>
      db("drones")
        .where({ id: any(drones).rowId })
        .update({ user_id: any(users).rowId }),
    () =>
      db("users")
        .where({ id: any(users).rowId })
        .update({ vpn_key_id: db.raw("gen_random_uuid()") }),
    () =>
      db("drones")
        .where({ id: any(drones).rowId })
        .update({ deleted_at: db.fn.now() }),
    () =>
      db("drones")
        .whereIn("id", db("drones").whereNotNull("deleted_at").select("id").limit(1))
        .update({ deleted_at: null }),
  ];
  const running = new Set<Promise<unknown>>();
  let made = 0;
  const timer = setInterval(() => {
    const change = Promise.resolve(changes[made++ % changes.length]?.());
    running.add(change);
    void change.finally(() => running.delete(change));
  }, 1_000 / CHANGES_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}
