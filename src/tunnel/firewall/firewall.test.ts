import { SimulatedOs } from "../os/simulated-os";
import { hostBackend } from "./backend";
import { forgetRevoked } from "./conntrack";
import { allowDns, parseExtraAllow } from "./extra-allow";
import { Firewall, teardownFirewall } from "./firewall";
import type { Pair } from "./pairs";

const settings = {
  edgePorts: [{ protocol: "tcp" as const, port: 8088 }],
  extraAllow: allowDns("172.31.0.2"),
};

test.each([
  ["nothing is anywhere", [], [], "nft"],
  ["only legacy has rules", [], ["-p tcp -j ACCEPT"], "legacy"],
  ["both have rules and nft has more", ["-j A", "-j B"], ["-j A"], "nft"],
  [
    "the kubelet's hint is in legacy, whatever the number",
    ["-j A", "-j B"],
    ["-m comment --comment KUBE-IPTABLES-HINT -j A"],
    "legacy",
  ],
  ["only our own leftovers are in legacy", [], ["-j FLEET-FORWARD"], "nft"],
] as const)("the backend follows the host: %s", async (_, nft, legacy, backend) => {
  const os = new SimulatedOs();
  os.nft.chain("filter", "FORWARD")?.push(...nft);
  os.legacy.chain("filter", "FORWARD")?.push(...legacy);
  expect(await hostBackend(os)).toBe(backend);
});

test("rules that stand are not set again", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  expect(await firewall.ensureRules()).toBe("our chains were set (nft)");
  expect(await firewall.ensureRules()).toBeUndefined();
  expect(os.commands.filter((command) => command.startsWith("iptables-nft-restore"))).toHaveLength(1);
});

test("a jump that is there twice is there once afterwards", async () => {
  const os = new SimulatedOs();
  os.nft.chain("filter", "FORWARD")?.push("-j HOST", "-j FLEET-FORWARD", "-j FLEET-FORWARD");
  await new Firewall(os, settings).ensureRules();
  expect(os.nft.chain("filter", "FORWARD")).toEqual(["-j FLEET-FORWARD", "-j HOST"]);
});

const pairs = (...texts: string[]) => new Set(texts as Pair[]);
const ports = ["tcp:5001", "tcp:8554", "udp:8554", "udp:14900", "tcp:22"];

test("only the pairs that differ are written, removals first, and a second time nothing", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 5001", "10.70.0.3 10.71.0.3 5001"));
  os.commands.length = 0;
  const next = pairs("10.70.0.3 10.71.0.3 5001", "10.70.0.4 10.71.0.2 5001");
  expect(await firewall.setPairs(next)).toEqual({ opened: 5, closed: 5, withheld: 0 });
  expect(await firewall.setPairs(next)).toEqual({ opened: 0, closed: 0, withheld: 0 });
  expect(os.commands).toEqual([
    [
      "ipset restore -exist <<'END'",
      ...ports.map((port) => `del fleet-pairs 10.70.0.2,${port},10.71.0.2`),
      ...ports.map((port) => `add fleet-pairs 10.70.0.4,${port},10.71.0.2`),
      "END",
    ].join("\n"),
  ]);
});

test("a drone's new port opens and the old one closes; its other ports are not touched", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 5001"));
  os.commands.length = 0;
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 6001"));
  expect(os.commands.join()).not.toContain("del fleet-pairs 10.70.0.2,tcp:22");
  expect([...(os.sets.get("fleet-pairs") ?? [])].sort()).toEqual(
    ["tcp:22", "tcp:6001", "tcp:8554", "udp:14900", "udp:8554"].map((port) => `10.70.0.2,${port},10.71.0.2`),
  );
});

test("a pair that somebody else put into the set is taken out by the next look at it", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs());
  os.sets.get("fleet-pairs")?.add("10.70.0.9,tcp:22,10.71.0.2");
  expect(await firewall.inspectPairs(false)).toBe(true);
  expect(await firewall.setPairs(pairs())).toEqual({ opened: 0, closed: 1, withheld: 0 });
  expect(await firewall.inspectPairs(true)).toBe(false);
});

test("a pair that may not be opened yet is withheld; the others change all the same", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 5001"));
  const next = pairs("10.70.0.3 10.71.0.2 5001", "10.70.0.4 10.71.0.4 5001");
  const isFree = (pair: Pair) => !pair.includes("10.71.0.2");
  expect(await firewall.setPairs(next, isFree)).toEqual({ opened: 5, closed: 5, withheld: 1 });
  expect([...(os.sets.get("fleet-pairs") ?? [])].join()).not.toContain("10.71.0.2");
  expect(await firewall.setPairs(next)).toEqual({ opened: 5, closed: 0, withheld: 0 });
});

test("a daemon that starts keeps open what the kernel has open, known to be free or not", async () => {
  const os = new SimulatedOs();
  const open = pairs("10.70.0.2 10.71.0.2 5001");
  await new Firewall(os, settings).setPairs(open);
  const next = new Firewall(os, settings);
  expect(await next.setPairs(open, () => false)).toEqual({ opened: 0, closed: 0, withheld: 0 });
});

test("what is edited while the set is looked at is not taken for somebody else's", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 5001"));
  const { run } = os;
  os.run = async (command, options) => {
    const text = await run.call(os, command, options);
    if (command[1] === "save") await firewall.setPairs(pairs("10.70.0.3 10.71.0.2 5001"));
    return text;
  };
  expect(await firewall.inspectPairs(true)).toBe(false);
  os.run = run;
  expect(await firewall.inspectPairs(true)).toBe(false);
});

test("after a failed write the kernel's own list is looked at again", async () => {
  const os = new SimulatedOs();
  const firewall = new Firewall(os, settings);
  await firewall.setPairs(pairs("10.70.0.2 10.71.0.2 5001"));
  os.fault = (command) => {
    if (command.startsWith("ipset restore")) throw new Error("no memory");
  };
  await expect(firewall.setPairs(pairs())).rejects.toThrow("no memory");
  os.fault = () => {};
  expect(await firewall.setPairs(pairs())).toEqual({ opened: 0, closed: 5, withheld: 0 });
  expect([...(os.sets.get("fleet-pairs") ?? [])]).toEqual([]);
});

test("teardown leaves everything that is not ours", async () => {
  const os = new SimulatedOs();
  os.nft.chain("filter", "FORWARD")?.push("-j HOST");
  os.sets.set("others", new Set(["x"]));
  const firewall = new Firewall(os, settings);
  await firewall.ensureRules();
  expect(await teardownFirewall(os)).toEqual(["nft filter chains", "nft mangle chains", "ipset fleet-pairs"]);
  expect(os.nft.save()).not.toContain("FLEET");
  expect(os.nft.chain("filter", "FORWARD")).toEqual(["-j HOST"]);
  expect([...os.sets.keys()]).toEqual(["others"]);
  expect(await teardownFirewall(os)).toEqual([]);
});

test("only known connections that the set does not allow are forgotten", async () => {
  const os = new SimulatedOs();
  const line = (protocol: string, drone: string, port: number) =>
    `${protocol} 6 100 ESTABLISHED src=10.70.0.2 dst=${drone} sport=4000 dport=${port} src=${drone} dst=10.70.0.2 sport=${port} dport=4000 [ASSURED]\n`;
  const { run } = os;
  os.run = async (command, options) =>
    command.includes("-L")
      ? line("tcp", "10.71.0.2", 22) + line("tcp", "10.71.0.2", 5001) + line("udp", "172.31.0.2", 53)
      : run.call(os, command, options);
  expect(await forgetRevoked(os, pairs("10.70.0.2 10.71.0.2 6001"))).toBe(1);
  expect(os.commands).toEqual([
    "conntrack -D -p tcp --orig-src 10.70.0.2 --orig-dst 10.71.0.2 --orig-port-dst 5001",
  ]);
});

test.each([
  ["172.31.5.5", 2, "172.31.5.5"],
  ["172.31.0.0/16:tcp/443", 2, "172.31.0.0/16"],
  ["users>172.31.5.5/32:udp/123", 1, "172.31.5.5/32"],
  ["10.69.0.0/16>10.71.0.0/16:tcp/22", 1, "10.71.0.0/16"],
])("%s opens that from %i side(s)", (text, sides, destination) => {
  const parsed = parseExtraAllow(text);
  expect(parsed).toHaveLength(sides);
  expect(parsed.every((extra) => extra.destination === destination)).toBe(true);
});

test.each([
  ["somewhere", "is not"],
  ["172.31.5.5/33", "is not"],
  ["172.31.5.5:tcp/0", "port"],
  ["172.31.5.5:tcp/70000", "port"],
  ["pilots>172.31.5.5", "neither"],
  ["users>10.71.0.0/16", "plane to a plane"],
  ["10.0.0.0/8", "plane to a plane"],
  ["10.70.0.2/32>172.31.5.5", "name the plane"],
])("%s is refused and named", (text, why) => {
  expect(() => parseExtraAllow(text)).toThrow(why);
  expect(() => parseExtraAllow(text)).toThrow("FIREWALL_EXTRA_ALLOW");
});
