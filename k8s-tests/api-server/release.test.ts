import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api, KubeConfig, NetworkingV1Api, type V1Pod } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { render, run, tool } from "../chart/helm";
import { workloads } from "../chart/pods";
import { chartFolder } from "../chart/values-docs";

/**
 * The chart in a real API server, with neither controllers nor nodes: what it accepts, what helm finds there and
 * keeps. Run by k8s-tests/api-server/run.
 */
const namespace = `fleet-${process.pid}`;
let core: CoreV1Api;
let networking: NetworkingV1Api;

beforeAll(async () => {
  if (!process.env.KUBECONFIG) throw new Error("There is no API server: run k8s-tests/api-server/run.");
  const config = new KubeConfig();
  config.loadFromDefault();
  core = config.makeApiClient(CoreV1Api);
  networking = config.makeApiClient(NetworkingV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});

async function helm(command: string[], values: object = {}): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), "values-")), "values.yaml");
  writeFileSync(file, stringify(values));
  const takesValues = command[0] === "install" || command[0] === "upgrade";
  await run(tool("helm"), [...command, "--namespace", namespace, ...(takesValues ? ["--values", file] : [])]);
}

const secrets = async (): Promise<Record<string, Record<string, string>>> =>
  Object.fromEntries(
    (await core.listNamespacedSecret({ namespace })).items
      .filter(({ type }) => type === "Opaque")
      .map(({ metadata, data }) => [metadata?.name ?? "", data ?? {}]),
  );

const node = (name: string, address: string) =>
  core.createNode({ body: { metadata: { name, labels: { "fleet-gateway/tunnel": "true" } } } }).then(() =>
    core.patchNodeStatus({
      name,
      body: [{ op: "add", path: "/status/addresses", value: [{ type: "InternalIP", address }] }],
    }),
  );

/** Without its demand on the version: a server that was compiled without one calls itself 0.0.0. */
function versionlessChart(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "chart-")), "fleet-gateway");
  cpSync(chartFolder, folder, { recursive: true });
  const file = join(folder, "Chart.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^kubeVersion:.*\n/m, ""));
  return folder;
}
const chart = versionlessChart();

const withTunnel = { tunnel: { enabled: true, endpointHost: "vpn.example.com" } };
let first: Record<string, Record<string, string>>;

test("without a labelled node the tunnel is refused, with one its address is looked up", async () => {
  await expect(helm(["install", "fleet", chart], withTunnel)).rejects.toMatchObject({
    stderr: expect.stringContaining("tunnelNodes"),
  });
  await node("hub", "10.1.2.3");
  await helm(["install", "fleet", chart], withTunnel);
  const policy = await networking.readNamespacedNetworkPolicy({ name: "fleet-gateway", namespace });
  expect(policy.spec?.ingress).toContainEqual({
    _from: [{ ipBlock: { cidr: "10.1.2.3/32" } }],
    ports: [{ protocol: "TCP", port: 8081 }],
  });
  first = await secrets();
  const names = ["database", "hub-keys", "keys", "objects", "redis", "test"].map((name) => `fleet-${name}`);
  expect(Object.keys(first).toSorted()).toEqual(names);
});

test("an upgrade and a rollback keep every generated secret, and bring a setup Job of their own", async () => {
  await helm(["upgrade", "fleet", chart], { ...withTunnel, logLevel: "debug" });
  expect(await secrets()).toEqual(first);
  await helm(["rollback", "fleet", "1"]);
  expect(await secrets()).toEqual(first);
  const { stdout } = await run(tool("helm"), ["get", "manifest", "fleet", "--namespace", namespace]);
  expect(stdout).toContain("name: fleet-setup-1");
});

test("a second labelled node is refused, since two hubs would share a key", async () => {
  await node("another", "10.1.2.4");
  await expect(helm(["upgrade", "fleet", chart], withTunnel)).rejects.toMatchObject({
    stderr: expect.stringContaining("More than one node"),
  });
});

test("every pod but the tunnel's is admitted under the restricted standard", async () => {
  const strict = `${namespace}-restricted`;
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await core.createNamespace({ body: { metadata: { name: strict, labels } } });
  const objects = await render({
    ...withTunnel,
    networkPolicy: { tunnelNodes: ["10.1.2.3/32"] },
    worker: { enabled: true },
  });
  const refused: string[] = [];
  for (const { object, pod } of workloads(objects)) {
    const { name } = object.metadata;
    // The class of the tunnel's pod and the volumes that a StatefulSet claims are not part of this question.
    const claimed = object.kind === "StatefulSet" ? [{ name: "data", emptyDir: {} }] : [];
    const spec = { ...pod, priorityClassName: undefined, volumes: [...(pod.volumes ?? []), ...claimed] };
    const body = { metadata: { name }, spec } as unknown as V1Pod;
    await core
      .createNamespacedPod({ namespace: strict, body, dryRun: "All" })
      .catch((error: { body?: string }) => {
        if (!/violates PodSecurity|privileged: Forbidden/.test(String(error.body))) throw error;
        refused.push(name);
      });
  }
  expect(refused).toEqual(["fleet-tunnel"]);
});

test("when the release is gone its generated secrets are still there, and another installation adopts them", async () => {
  await helm(["uninstall", "fleet"]);
  expect(await secrets()).toEqual(first);
  await core.deleteNode({ name: "another" });
  await helm(["install", "fleet", chart], withTunnel);
  expect(await secrets()).toEqual(first);
});

test.each(["minimal", "kind"])("the example %s is accepted", async (example) => {
  const values = join(chartFolder, "examples", `${example}.yaml`);
  await helm(["upgrade", "fleet", chart, "--values", values, "--dry-run=server"]);
});
