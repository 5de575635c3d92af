import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Namespace } from "../../src/testing/system/namespaces/namespace";
import { Firewall, teardownFirewall } from "../../src/tunnel/firewall/firewall";
import { PairSet } from "../../src/tunnel/firewall/pair-set";
import { elementsOf, type Pair } from "../../src/tunnel/firewall/pairs";
import { forwardPackets } from "../../src/tunnel/os/forwarding";
import { median } from "../table";
import { addressOf } from "./rows";

const PAIRS = 10_000;
const PORT = 8554;
const SECONDS = 1;
const ROUNDS = 5;

/** Megabits a second of one TCP stream, packet by packet. */
export interface ForwardingRun {
  readonly one: number;
  readonly many: number;
  /** As many pairs as one rule for each of their ports, the stream's last. */
  readonly rules: number;
}

const pairOf = (n: number) => `${addressOf("users", n)} ${addressOf("drones", n)} 5001` as Pair;

/** Our firewall between two plain veth links that have the names of the planes' interfaces are. */
export async function measureForwarding(): Promise<ForwardingRun> {
  const [hub, user, drone] = (await Promise.all(
    ["hub", "user", "drone"].map((name) => Namespace.create(name)),
  )) as [Namespace, Namespace, Namespace];
  const ends = { user: addressOf("users", 0), drone: addressOf("drones", 0) };
  await user.link(hub, { name: "eth0", ip: `${ends.user}/16` }, { name: "users0", ip: "10.70.0.1/16" });
  await drone.link(hub, { name: "eth0", ip: `${ends.drone}/16` }, { name: "drones0", ip: "10.71.0.1/16" });
  // Packets of their own size, as a tunnel carries them: not 64 KiB at a time.
  await user.shell("ip link set eth0 mtu 1350 gso_max_segs 1\nip route add default via 10.70.0.1");
  await drone.shell("ip link set eth0 mtu 1350 gso_max_segs 1\nip route add default via 10.71.0.1");
  const firewall = new Firewall(hub.os, { edgePorts: [], extraAllow: [] });
  await firewall.ensureRules();
  const set = new PairSet(hub.os);
  await forwardPackets(hub.os);
  const stream = await streamBetween(user, drone, ends.drone);
  const one = new Set([pairOf(0)]);
  const many = new Set(Array.from({ length: PAIRS }, (_, n) => pairOf(PAIRS - 1 - n)));
  const seen = { one: [] as number[], many: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, pairs] of [
      ["one", one],
      ["many", many],
    ] as const) {
      await set.set(pairs);
      seen[name].push(await stream());
    }
  }
  await teardownFirewall(hub.os);
  await setPlainRules(hub, [...many]);
  const rules = await stream();
  for (const node of [hub, user, drone]) await node.destroy();
  return { one: median(seen.one), many: median(seen.many), rules };
}

async function streamBetween(from: Namespace, to: Namespace, host: string): Promise<() => Promise<number>> {
  const run = (node: Namespace, ...words: string[]) => {
    const [program, ...args] = [
      ...node.prefix,
      process.execPath,
      join(__dirname, "bulk-process.js"),
      ...words,
    ];
    return spawn(program as string, args, { stdio: ["ignore", "pipe", "inherit"] });
  };
  // Ends with its namespace.
  await once(run(to, "sink", String(PORT)).stdout, "data");
  return async () => {
    const [bytes] = await once(run(from, "source", host, String(PORT), String(SECONDS)).stdout, "data");
    return (Number(bytes) * 8) / 1e6;
  };
}

/** The list that a firewall without sets would have. */
async function setPlainRules(hub: Namespace, pairs: readonly Pair[]): Promise<void> {
  const accepts = pairs.flatMap(elementsOf).map((element) => {
    const [user, service = "", drone] = element.split(",");
    const [protocol, port] = service.split(":");
    return `-A PLAIN -s ${user} -d ${drone} -p ${protocol} --dport ${port} -j ACCEPT`;
  });
  await hub.os.run(["iptables-restore", "--noflush"], {
    input: [
      "*filter",
      ":PLAIN - [0:0]",
      "-A PLAIN -i drones0 -m conntrack --ctstate ESTABLISHED -j ACCEPT",
      ...accepts,
      "-A PLAIN -j REJECT",
      "-A FORWARD -j PLAIN",
      "COMMIT\n",
    ].join("\n"),
  });
}
