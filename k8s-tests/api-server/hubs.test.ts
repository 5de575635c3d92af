import { isDeepStrictEqual } from "node:util";
import { AppsV1Api, CoreV1Api, type V1DaemonSet, type V1Pod } from "@kubernetes/client-node";
import { parse } from "yaml";
import { freePort } from "../../src/laptop/free-port";
import { startServerProcess } from "../../src/laptop/servers/server-process";
import { atEndOfFile, freshFolder } from "../../src/testing";
import { until } from "../../src/testing/until";
import { render, run, tool } from "../chart/helm";
import { chartFolder } from "../chart/values/values-schema";
import { apiServer } from "./config";
import { componentOf, Hubs } from "./hubs";

/**
 * How leased hubs are replaced, by Kubernetes' own DaemonSet controller. Kubelets are played; no process of ours runs.
 */
const namespace = `hubs-${process.pid}`;
/** There is no class in this server. */
const priorityClass = { create: false };
const values = {
  tunnel: { enabled: true, endpointHost: "vpn.example.com", lease: { enabled: true }, priorityClass },
  networkPolicy: { tunnelNodes: ["10.1.2.3/32", "10.1.2.4/32"] },
};
let core: CoreV1Api;
let apps: AppsV1Api;
let hubs: Hubs;

beforeAll(async () => {
  const config = apiServer();
  core = config.makeApiClient(CoreV1Api);
  apps = config.makeApiClient(AppsV1Api);
  hubs = new Hubs(core, namespace);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  for (const name of ["left", "right"]) {
    await core.createNode({ body: { metadata: { name, labels: { "fleet-gateway/tunnel": "true" } } } });
    // A healthy kubelet would have removed these.
    await core.patchNode({ name, body: [{ op: "remove", path: "/spec/taints" }] });
  }
  const server = await startServerProcess({
    name: "kube-controller-manager",
    command: process.env.KUBE_CONTROLLER_MANAGER ?? "kube-controller-manager",
    args: [
      ...["--kubeconfig", process.env.KUBECONFIG ?? "", "--controllers", "daemonset-controller"],
      ...["--leader-elect=false", "--bind-address=127.0.0.1", `--secure-port=${await freePort()}`],
      ...["--cert-dir", freshFolder("controllers")],
    ],
    readyText: "Serving securely",
    stopSignal: "SIGTERM",
    readyWithinMs: 60_000,
    options: { env: process.env },
  });
  atEndOfFile(() => server.stop());
  atEndOfFile(async () => {
    for (const name of ["left", "right"]) await core.deleteNode({ name });
  });
});

/** The release's DaemonSets, with this tag of the image. */
async function apply(tag: string): Promise<void> {
  for (const object of await render({ ...values, image: { tag } })) {
    if (object.kind !== "DaemonSet") continue;
    const { name } = object.metadata;
    const body = { ...object, metadata: { ...object.metadata, namespace } } as unknown as V1DaemonSet;
    const isThere = (await apps.listNamespacedDaemonSet({ namespace })).items.some(
      ({ metadata }) => metadata?.name === name,
    );
    if (isThere) await apps.replaceNamespacedDaemonSet({ name, namespace, body });
    else await apps.createNamespacedDaemonSet({ namespace, body });
  }
}

/** Until every pod of the DaemonSet is of its newest template and this many are available; kubelets do their part. */
async function rolledOut(name: string, available: number): Promise<void> {
  await until(async () => {
    await hubs.attend();
    const { status, metadata } = await apps.readNamespacedDaemonSet({ name, namespace });
    const { observedGeneration, updatedNumberScheduled = 0, numberAvailable = 0 } = status ?? {};
    const now = [observedGeneration === metadata?.generation, updatedNumberScheduled, numberAvailable];
    return isDeepStrictEqual(now, [true, 2, available]);
  }, 150_000);
}

test("both hubs are ready from the start, and so is the pod on the node of the hub that serves", async () => {
  await apply("before");
  await rolledOut("fleet-tunnel", 2);
  await rolledOut("fleet-active-hub", 1);
  const { items } = await core.listNamespacedPod({ namespace });
  const beside = items.filter((pod) => componentOf(pod) === "active-hub" && isReady(pod));
  expect(beside.map(({ spec }) => spec?.nodeName)).toEqual([hubs.active]);
});

test("an upgrade replaces the hubs one after the other, the one that serves as well", async () => {
  hubs.events.length = 0;
  await apply("after");
  await rolledOut("fleet-tunnel", 2);
  await rolledOut("fleet-active-hub", 1);
  const [first, second] = ["left", "right"].toSorted((a, b) => endOf(a) - endOf(b)) as [string, string];
  const order = hubs.events.map(({ what, node }) => `${node} ${what}`);
  expect(order).toEqual([
    ...[`${first} ended`, `${first} started`, `${first} ready`],
    ...[`${second} ended`, `${second} started`, `${second} ready`],
  ]);
  expect(
    hubs.events.filter(({ what }) => what === "ready").every(({ image }) => image.endsWith(":after")),
  ).toBe(true);
});

test("an upgrade that disables the tunnel removes it from every hub, also when the values list no hub", async () => {
  const asked = ["--namespace", namespace, "--kube-version", "1.34.1", "--is-upgrade", "--dry-run=server"];
  const wanted = ["--show-only", "templates/tunnel/teardown.yaml"];
  const { stdout } = await run(tool("helm"), ["template", "fleet", chartFolder, ...asked, ...wanted]);
  const job = parse(stdout);
  expect(job.metadata.annotations["helm.sh/hook"]).toBe("post-upgrade");
  expect(job.spec).toMatchObject({ completions: 2, parallelism: 2 });
});

const endOf = (node: string) =>
  hubs.events.findIndex((event) => event.what === "ended" && event.node === node);
const isReady = ({ status }: V1Pod) =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false;
