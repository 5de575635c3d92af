import { join } from "node:path";
import { CoordinationV1Api, CoreV1Api, KubeConfig, type V1PolicyRule } from "@kubernetes/client-node";
import { atEndOfFile, freshFolder } from "../../testing";
import { until } from "../../testing/until";
import { createServiceAccount } from "../../testing/worlds/cluster-account";
import {
  assertOneHolder,
  type Candidate,
  candidate,
  expectReleasedLeaseTaken,
} from "../../testing/worlds/lease-candidates";
import { leasedHub } from "../../testing/worlds/leased-hub";
import { KubernetesLease } from "./kubernetes-lease";
import { LeaseConflict, monotonicMs } from "./lease";

/** The Lease of a real API server, which KUBECONFIG names: `.ci/peers/with-api-server npm run test:peers -- lease`. */
const inCluster: typeof test = process.env.KUBECONFIG ? test : (test.skip as typeof test);

/** A real server takes its time for an answer, more so on a busy machine. */
const times = { durationMs: 5_000, deadlineMs: 4_000, retryMs: 250 };

const namespace = `fleet-hubs-${process.pid}`;
const name = "fleet-tunnel-hub";
/** What the chart gives the hubs. */
const rules: V1PolicyRule[] = [
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [name],
    verbs: ["get", "update"],
  },
];

let leases: CoordinationV1Api;
let hub: KubeConfig;
let unauthorized: KubeConfig;

beforeAll(async () => {
  if (!process.env.KUBECONFIG) return;
  const config = new KubeConfig();
  config.loadFromDefault();
  leases = config.makeApiClient(CoordinationV1Api);
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  atEndOfFile(async () => void (await core.deleteNamespace({ name: namespace })));
  hub = await createServiceAccount(config, namespace, "hub", rules);
  unauthorized = await createServiceAccount(config, namespace, "unauthorized", []);
  // A new role takes a moment to be known.
  await until(() =>
    as(hub)
      .read()
      .then(() => true),
  );
});

/** Made beforehand, as by the chart, and released by a hub of before: one that is empty is not taken at once. */
beforeEach(async () => {
  if (!process.env.KUBECONFIG) return;
  await leases.deleteNamespacedLease({ name, namespace }).catch(() => {});
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 };
  await leases.createNamespacedLease({ namespace, body: { metadata: { name }, spec } });
});

const as = (kubeConfig: KubeConfig) => new KubernetesLease({ name, namespace, kubeConfig });
const running: Candidate[] = [];
function candidateOf(identity: string, kubeConfig = hub): Candidate {
  const made = candidate(identity, as(kubeConfig), times);
  running.push(made);
  return made;
}
afterEach(async () => {
  for (const { elector } of running.splice(0)) await elector.stop();
});
const spec = async () => (await leases.readNamespacedLease({ name, namespace })).spec;

inCluster(
  "one of two holds the lease and renews it, the other waits; it takes over when the holder is gone, and not before",
  async () => {
    const [one, two] = [candidateOf("one"), candidateOf("two")];
    await one.elector.start();
    await two.elector.start();
    expect(one.elector.isHeld).toBe(true);
    expect(await spec()).toMatchObject({
      holderIdentity: "one",
      leaseDurationSeconds: 5,
      leaseTransitions: 1,
    });
    const acquired = (await spec())?.acquireTime;
    const [first] = one.storedEnds as [number];
    await until(() => (one.storedEnds.at(-1) as number) > first + 2 * times.durationMs, 20_000);
    expect(two.changes).toEqual([]);
    expect((await spec())?.acquireTime).toEqual(acquired);
    await one.elector.stop();
    const goneAt = monotonicMs();
    await until(() => two.elector.isHeld, 20_000);
    expect((two.changes[0]?.at as number) - goneAt).toBeGreaterThan(times.durationMs - times.deadlineMs);
    expect(await spec()).toMatchObject({ holderIdentity: "two", leaseTransitions: 2 });
    assertOneHolder(one, two);
  },
);

inCluster("a lease that is released is taken at once", () =>
  expectReleasedLeaseTaken([candidateOf("one"), candidateOf("two")], times.durationMs),
);

inCluster("a write against what is no longer there is a conflict and changes nothing", async () => {
  const store = as(hub);
  const seen = await store.read();
  await as(hub).write({ holder: "somebody", durationSeconds: 2, transitions: 1 }, seen);
  const input = { holder: "late", durationSeconds: 2, transitions: 1 };
  await expect(store.write(input, seen)).rejects.toThrow(LeaseConflict);
  expect(await spec()).toMatchObject({ holderIdentity: "somebody" });
});

inCluster("of two machines of one name one serves as long as it renews", async () => {
  const leasePath = () => join(freshFolder("lease"), "lease.json");
  const [one, two] = [leasedHub("node-1", as(hub), leasePath()), leasedHub("node-1", as(hub), leasePath())];
  await one.start();
  await two.start();
  const renewed = (await spec())?.renewTime;
  const from = monotonicMs();
  await until(() => monotonicMs() - from > 2 * times.durationMs, 20_000);
  expect([one.role.isActive, two.role.isActive]).toEqual([true, false]);
  expect((await spec())?.renewTime).not.toEqual(renewed);
  await one.stop();
  await until(() => two.role.isActive, 20_000);
  assertOneHolder(one, two);
  await two.stop();
});

inCluster("of many that want a free lease at once, one gets it", async () => {
  const many = ["one", "two", "three", "four"].map((identity) => candidateOf(identity));
  await Promise.all(many.map(({ elector }) => elector.start()));
  expect(many.filter(({ elector }) => elector.isHeld)).toHaveLength(1);
  assertOneHolder(...many);
});

inCluster("a holder whose lease another client has written to reads it again and goes on", async () => {
  const one = candidateOf("one");
  await one.elector.start();
  for (let edit = 0; edit < 3; edit++) {
    const renewals = one.storedEnds.length;
    await until(async () => {
      const lease = await leases.readNamespacedLease({ name, namespace });
      const metadata = { ...lease.metadata, annotations: { edit: String(edit) } };
      await leases.replaceNamespacedLease({ name, namespace, body: { ...lease, metadata } });
      return true;
    });
    await until(() => one.storedEnds.length > renewals + 1);
  }
  expect(one.logged.join("")).toContain("Another client changed the hub");
  expect(one.changes).toHaveLength(1);
  expect(one.elector.isHeld).toBe(true);
  const { metadata } = await leases.readNamespacedLease({ name, namespace });
  expect(metadata?.annotations).toEqual({ edit: "2" });
});

inCluster.each([-3_600_000, 3_600_000])(
  "a hub whose clock is %d ms off takes no lease that is renewed, and keeps one that it renews",
  async (step) => {
    const two = candidateOf("two");
    const one = candidateOf("one");
    await one.elector.start();
    const { now } = Date;
    Date.now = () => now() + step;
    try {
      await two.elector.start();
      const renewals = one.storedEnds.length;
      const from = monotonicMs();
      await until(() => monotonicMs() - from > 2 * times.durationMs, 20_000);
      expect(one.storedEnds.length).toBeGreaterThan(renewals);
    } finally {
      Date.now = now;
    }
    expect(two.changes).toEqual([]);
    expect(one.changes).toHaveLength(1);
  },
);

inCluster(
  "a candidate that may not read the lease does not hold it, and the log names the account and the missing right",
  async () => {
    const one = candidateOf("one", unauthorized);
    await one.elector.start();
    expect(one.elector.isHeld).toBe(false);
    const said = one.logged.join("");
    expect(said).toMatch(/refuses the hub's lease \(403\).*fleet-tunnel-hub.*is forbidden/);
    expect(said).toContain(`system:serviceaccount:${namespace}:unauthorized`);
    expect(said).not.toContain(unauthorized.getCurrentUser()?.token);
  },
);

inCluster("where the lease is missing and may not be made, the log says that", async () => {
  await leases.deleteNamespacedLease({ name, namespace });
  const one = candidateOf("one");
  await one.elector.start();
  // It makes none before it has looked for as long as another might hold it.
  await until(() => one.logged.length > 0, 20_000);
  expect(one.elector.isHeld).toBe(false);
  expect(one.logged.join("")).toMatch(/refuses the hub's lease \(403\).*cannot create resource/);
});

inCluster("an unknown token is refused with 401", async () => {
  const config = new KubeConfig();
  const cluster = hub.getCurrentCluster();
  if (!cluster) throw new Error("KUBECONFIG names no cluster.");
  config.loadFromClusterAndUser(cluster, { name: "nobody", token: "nobody's" });
  await expect(as(config).read()).rejects.toThrow(/refuses the hub's lease \(401\): Unauthorized/);
});
