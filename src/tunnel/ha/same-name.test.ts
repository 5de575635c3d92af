import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { atEndOfFile, freshFolder } from "../../testing";
import { FakeLeases, HUB_LEASE as LEASE } from "../../testing/fakes/fake-leases";
import { until } from "../../testing/until";
import { assertOneHolder } from "../../testing/worlds/lease-candidates";
import { leasedHub } from "../../testing/worlds/leased-hub";
import { KubernetesLease } from "./kubernetes-lease";
import { monotonicMs } from "./lease";
import { LeaseFile } from "./lease-file";

const DURATION_MS = 4_000;

let api: FakeLeases;
beforeEach(async () => {
  api = await FakeLeases.listening();
});

const leasePath = () => join(freshFolder("lease"), "lease.json");
const leases = () => new KubernetesLease({ name: LEASE, namespace: "fleet", kubeConfig: api.config() });
const hub = (path: string) => leasedHub("node-1", leases(), path);
const held = async (holder: string, durationSeconds: number) => {
  const store = leases();
  await store.write({ holder, durationSeconds, transitions: 3 }, await store.read());
};
/** What a daemon that was killed leaves behind: its lease file, and the Lease. */
async function leftBehind(path: string): Promise<void> {
  const before = new LeaseFile(path);
  before.write(monotonicMs() + 2_000);
  await held(`node-1_${before.hub}`, 4);
}

test("one of two machines with the same name serves; the other starts to serve when the first has ended, and not earlier", async () => {
  const [one, two] = [hub(leasePath()), hub(leasePath())];
  await one.start();
  await two.start();
  expect([one.role.isActive, two.role.isActive]).toEqual([true, false]);
  expect(two.logged.join("")).toContain("This hub stands by");
  const { renewTime } = api.leases.get(LEASE)?.spec ?? {};
  const from = monotonicMs();
  await until(() => monotonicMs() - from > 2 * DURATION_MS, 3 * DURATION_MS);
  expect([one.role.isActive, two.role.isActive]).toEqual([true, false]);
  expect(api.leases.get(LEASE)?.spec?.renewTime).not.toEqual(renewTime);
  await one.stop();
  await until(() => two.role.isActive, 2 * DURATION_MS);
  assertOneHolder(one, two);
});

test("a new machine with the holder's name waits for the lease like any other", async () => {
  const holder = `node-1_${new LeaseFile(leasePath()).hub}`;
  await held(holder, 1);
  const two = hub(leasePath());
  const from = monotonicMs();
  await two.start();
  expect(two.role.isActive).toBe(false);
  await until(() => two.role.isActive, 2 * DURATION_MS);
  expect((two.changes[0]?.at as number) - from).toBeGreaterThan(DURATION_MS);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(4);
});

test("a daemon that is restarted on the same machine continues its lease at once", async () => {
  const path = leasePath();
  await leftBehind(path);
  const after = hub(path);
  await after.start();
  expect(after.role.isActive).toBe(true);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(3);
});

test("a daemon does not start while the previous one on its machine exists, even paused, and starts at once when that is killed", async () => {
  const path = leasePath();
  await leftBehind(path);
  // Stands in for that daemon: it holds the lock as long as it lives, and is paused.
  const other = spawn("flock", ["--no-fork", `${path}.lock`, "sleep", "60"], { stdio: "ignore" });
  atEndOfFile(async () => void other.kill("SIGKILL"));
  await until(() => spawnSync("flock", ["--nonblock", `${path}.lock`, "true"]).status === 1);
  other.kill("SIGSTOP");
  await expect(hub(path).start()).rejects.toThrow(
    /Another daemon of this node runs, or is paused: .*lease\.json/,
  );
  expect(api.leases.get(LEASE)?.metadata?.resourceVersion).toBe("2");
  other.kill("SIGKILL");
  await once(other, "exit");
  const after = hub(path);
  await after.start();
  expect(after.role.isActive).toBe(true);
});
