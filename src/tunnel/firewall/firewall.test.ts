import { SimulatedOs } from "../os/simulated-os";
import { hostBackend } from "./backend";
import { allowDns } from "./extra-allow";
import { Firewall, teardownFirewall } from "./firewall";

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
