import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import { SimulatedOs } from "../os/simulated-os";
import { LeaseGuard, type LeaseGuardOptions } from "./lease-guard";

/** Both planes up on a simulated machine, whose clock stands at 1,000 ms. */
async function guarded(
  options: Partial<LeaseGuardOptions>,
): Promise<{ os: SimulatedOs; needless: () => number }> {
  const os = new SimulatedOs();
  for (const name of ["users0", "drones0"]) {
    await os.run(["ip", "link", "add", name, "type", "wireguard"]);
    await os.run(["ip", "link", "set", name, "mtu", "1350", "up"]);
  }
  os.commands.length = 0;
  let needless = 0;
  const guard = new LeaseGuard({
    leaseFile: { read: () => undefined },
    upInterfaces: () => [...os.links].flatMap(([name, { up }]) => (up ? [name] : [])),
    os,
    now: () => 1_000,
    log: createLogger("test", "silent"),
    daemon: 7,
    isDaemonThere: () => true,
    onDone: () => {
      needless++;
    },
    touch: () => {},
    ...options,
  });
  atEndOfFile(async () => guard.stop());
  guard.start();
  return { os, needless: () => needless };
}

const leaseUntil = (until: number, by = 7) => ({ read: () => ({ until, by }) });

test("the guard removes both planes' interfaces when the lease has run out, and again when one is raised", async () => {
  const { os, needless } = await guarded({ leaseFile: leaseUntil(1_000) });
  await until(() => os.commands.length === 2);
  expect(os.commands).toEqual(["ip link delete users0", "ip link delete drones0"]);
  await os.run(["ip", "link", "add", "users0", "type", "wireguard"]);
  await os.run(["ip", "link", "set", "users0", "mtu", "1350", "up"]);
  await until(() => !os.links.has("users0"));
  expect(needless()).toBe(0);
});

test("the guard removes both planes' interfaces on a node that never had a lease", async () => {
  const { os } = await guarded({});
  await until(() => os.commands.length === 2);
});

test("the guard changes nothing before the lease runs out, also when the daemon is gone", async () => {
  let now = 1_000;
  const { os, needless } = await guarded({
    leaseFile: leaseUntil(2_000),
    now: () => now,
    isDaemonThere: () => false,
  });
  let looks = 0;
  await until(() => ++looks > 10);
  expect(os.commands).toEqual([]);
  expect(needless()).toBe(0);
  now = 2_000;
  await until(() => needless() === 1);
  expect(os.commands).toEqual(["ip link delete users0", "ip link delete drones0"]);
});

test("a guard stops without a change when its daemon has a successor", async () => {
  const { os, needless } = await guarded({ leaseFile: leaseUntil(2_000, 8), isDaemonThere: () => false });
  await until(() => needless() === 1);
  expect(os.commands).toEqual([]);
});

test("the guard tries again to remove an interface", async () => {
  const { os } = await guarded({ leaseFile: leaseUntil(0) });
  os.fault = (command) => {
    if (command === "ip link delete users0") throw new Error("busy");
  };
  await until(() => !os.links.has("drones0"));
  os.fault = () => {};
  await until(() => !os.links.has("users0"));
});

test("a guard touches its liveness file each second, and not while a command hangs", async () => {
  let now = 0;
  let signs = 0;
  const live = { now: () => now, touch: () => signs++ };
  await guarded({ leaseFile: leaseUntil(5_000), ...live });
  await until(() => signs === 1);
  now = 999;
  let looks = 0;
  await guarded({ leaseFile: { read: () => ({ ...leaseUntil(5_000).read(), until: 5_000 + looks++ }) } });
  await until(() => looks > 3);
  expect(signs).toBe(1);
  now = 1_000;
  await until(() => signs === 2);
  // Its lease is over, and the command that would remove an interface never ends.
  const os = new SimulatedOs();
  os.run = () => new Promise(() => {});
  let ofTheHung = 0;
  await guarded({ os, leaseFile: leaseUntil(0), upInterfaces: () => ["users0"], touch: () => ofTheHung++ });
  now = 2_000;
  await until(() => signs === 3);
  expect(ofTheHung).toBe(0);
});
