import { join } from "node:path";
import {
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  NetworkingV1Api,
  type V1Pod,
} from "@kubernetes/client-node";
import { render } from "../chart/helm";
import { workloads } from "../chart/pods";
import { chartFolder as chart } from "../chart/values/values-schema";
import { apiServer } from "./config";
import { helmIn } from "./helm-in";
import { secretsIn } from "./secrets-in";

/**
 * The chart in a real API server, with neither controllers nor nodes: what it accepts, what helm finds there and
 * keeps. Run by k8s-tests/api-server/run.
 */
const namespace = `fleet-${process.pid}`;
let core: CoreV1Api;
let apps: AppsV1Api;
let authorization: AuthorizationV1Api;
let networking: NetworkingV1Api;

beforeAll(async () => {
  const config = apiServer();
  core = config.makeApiClient(CoreV1Api);
  apps = config.makeApiClient(AppsV1Api);
  authorization = config.makeApiClient(AuthorizationV1Api);
  networking = config.makeApiClient(NetworkingV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});

const helm = helmIn(namespace);
const { secrets, madeIn } = secretsIn(namespace);

const node = (
  name: string,
  address: string,
  network: { annotations?: Record<string, string>; podCIDR?: string; podCIDRs?: string[] } = {},
) => {
  const { annotations, ...spec } = network;
  const metadata = { name, labels: { "fleet-gateway/tunnel": "true" }, annotations };
  return core.createNode({ body: { metadata, spec } }).then(() =>
    core.patchNodeStatus({
      name,
      body: [{ op: "add", path: "/status/addresses", value: [{ type: "InternalIP", address }] }],
    }),
  );
};

const withTunnel = { tunnel: { enabled: true, endpointHost: "vpn.example.com" } };
let first: Record<string, Record<string, string>>;

test("the tunnel is refused without a labelled node, and gets the address of a labelled one", async () => {
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
  expect(await secrets()).toEqual({});
  await madeIn("fleet");
  first = await secrets();
  const names = ["database", "hub-keys", "keys", "objects", "redis"].map((name) => `fleet-${name}`);
  expect(Object.keys(first).toSorted()).toEqual(names);
});

test("link leases are switched off and on, each with its own update strategy of the gateway", async () => {
  const read = () => apps.readNamespacedDeployment({ name: "fleet-gateway", namespace });
  await helm(["upgrade", "fleet", chart], { ...withTunnel, leases: { enabled: false } });
  expect((await read()).spec?.strategy).toEqual({ type: "Recreate" });
  await helm(["upgrade", "fleet", chart], { ...withTunnel, gateway: { replicas: 2 } });
  const { spec } = await read();
  expect([spec?.strategy?.type, spec?.replicas]).toEqual(["RollingUpdate", 2]);
  await helm(["rollback", "fleet"]);
  expect((await read()).spec?.strategy).toEqual({ type: "Recreate" });
  await helm(["upgrade", "fleet", chart], withTunnel);
});

test("a given Secret without the key between replicas is refused, and the error names it", async () => {
  const name = "of-an-operator";
  await core.createNamespacedSecret({ namespace, body: { metadata: { name } } });
  const values = { ...withTunnel, secrets: { existingSecret: name } };
  await expect(helm(["upgrade", "fleet", chart], values)).rejects.toMatchObject({
    stderr: expect.stringContaining(`${name} has no GATEWAY_PEER_SECRET`),
  });
  await core.deleteNamespacedSecret({ name, namespace });
});

test("a second labelled node is refused, since two hubs would share a key", async () => {
  await node("another", "10.1.2.4");
  await expect(helm(["upgrade", "fleet", chart], withTunnel)).rejects.toMatchObject({
    stderr: expect.stringContaining("another, hub are hubs"),
  });
  const networkPolicy = { tunnelNodes: ["10.1.2.3/32"] };
  await expect(helm(["upgrade", "fleet", chart], { ...withTunnel, networkPolicy })).rejects.toMatchObject({
    stderr: expect.stringContaining("another, hub are hubs"),
  });
});

test("two nodes are hubs with a lease, and their pods may only renew that lease", async () => {
  const tunnel = { ...withTunnel.tunnel, lease: { enabled: true }, nodes: ["hub", "another"] };
  await helm(["upgrade", "fleet", chart], { tunnel });
  const policy = await networking.readNamespacedNetworkPolicy({ name: "fleet-gateway", namespace });
  const addresses = policy.spec?.ingress?.flatMap(({ _from = [] }) =>
    _from.map(({ ipBlock }) => ipBlock?.cidr),
  );
  expect(addresses).toEqual(expect.arrayContaining(["10.1.2.3/32", "10.1.2.4/32"]));
  const ofTunnel = `system:serviceaccount:${namespace}:fleet-tunnel`;
  const may = async (
    ...[verb, resource, name, group = "coordination.k8s.io", user = ofTunnel]: [
      string,
      string,
      string,
      string?,
      string?,
    ]
  ) => {
    const resourceAttributes = { namespace, verb, resource, name, group };
    const body = { spec: { user, resourceAttributes } };
    return (await authorization.createSubjectAccessReview({ body })).status?.allowed;
  };
  expect(await may("get", "leases", "fleet-tunnel-hub")).toBe(true);
  expect(await may("update", "leases", "fleet-tunnel-hub")).toBe(true);
  expect(await may("delete", "leases", "fleet-tunnel-hub")).toBe(false);
  expect(await may("update", "leases", "another")).toBe(false);
  expect(await may("get", "secrets", "fleet-keys", "")).toBe(false);
  const ofSecrets = `system:serviceaccount:${namespace}:fleet-secrets`;
  expect(await may("get", "secrets", "fleet-keys", "", ofSecrets)).toBe(true);
  expect(await may("get", "secrets", "of-an-operator", "", ofSecrets)).toBe(false);
  expect(await may("list", "secrets", "", "", ofSecrets)).toBe(false);
});

test.each([
  [
    "Calico",
    {
      annotations: {
        "projectcalico.org/IPv4Address": "10.1.2.9/24",
        "projectcalico.org/IPv4VXLANTunnelAddr": "10.244.9.64",
        "projectcalico.org/IPv6VXLANTunnelAddr": "fd00:244::9",
      },
      podCIDR: "10.244.9.0/24",
      podCIDRs: ["10.244.9.0/24"],
    },
    ["10.1.2.9/32", "10.244.9.64/32", "fd00:244::9/128"],
  ],
  [
    "Flannel",
    {
      annotations: { "flannel.alpha.coreos.com/backend-type": "vxlan" },
      podCIDR: "10.42.9.0/24",
      podCIDRs: ["10.42.9.0/24", "fd00:42:0:9::/64"],
    },
    ["10.1.2.9/32", "10.42.9.0/32", "10.42.9.1/32", "fd00:42:0:9::/128", "fd00:42:0:9::1/128"],
  ],
  ["another CNI", { podCIDR: "10.50.9.0/24", podCIDRs: ["10.50.9.0/24"] }, ["10.1.2.9/32"]],
])(
  "with %s the policies admit the hub's node from its own interface, and from the addresses that the values add",
  async (_name, network, wanted) => {
    const name = "overlaid";
    await node(name, "10.1.2.9", network);
    const tunnel = { ...withTunnel.tunnel, nodes: [name] };
    await helm(["upgrade", "fleet", chart], { tunnel, networkPolicy: { tunnelSources: ["10.9.9.9/32"] } });
    const policy = await networking.readNamespacedNetworkPolicy({ name: "fleet-gateway", namespace });
    const rule = policy.spec?.ingress?.find(({ ports }) => ports?.some(({ port }) => port === 8081));
    expect(rule?._from?.map(({ ipBlock }) => ipBlock?.cidr)).toEqual([...wanted, "10.9.9.9/32"]);
    await core.deleteNode({ name });
  },
);

const janus = { enabled: true, image: "registry.example.com/janus:1.1.2" };

describe.each(["restricted", "baseline"])("under the %s standard", (standard) => {
  const strict = `${namespace}-${standard}`;
  const ofTunnel = ["fleet-active-hub", "fleet-teardown", "fleet-tunnel", "fleet-wireguard-go"];

  beforeAll(async () => {
    const labels = { "pod-security.kubernetes.io/enforce": standard };
    await core.createNamespace({ body: { metadata: { name: strict, labels } } });
  });

  test.each([
    ["every pod is admitted but the tunnel's and what takes it off its nodes", {}, ofTunnel],
    ["Janus is refused with ports of the host", { hostPorts: true }, [...ofTunnel, "fleet-janus"].toSorted()],
  ])("%s", async (_what, ports, wanted) => {
    const objects = await render({
      tunnel: { ...withTunnel.tunnel, lease: { enabled: true } },
      networkPolicy: { tunnelNodes: ["10.1.2.3/32"] },
      worker: { enabled: true },
      janus: { ...janus, ...ports },
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
    expect(refused.toSorted()).toEqual(wanted);
  });
});

test.each([
  ["a load balancer", {}, 201, ["LoadBalancer", 20_000]],
  ["the nodes' ports", { rtpPorts: "30000-30019", service: { type: "NodePort" } }, 20, ["NodePort", 30_000]],
])("Janus's media is accepted by %s", async (_by, values, count, wanted) => {
  const own = `${namespace}-restricted`;
  await helmIn(own)(["upgrade", "--install", "media", chart], { janus: { ...janus, ...values } });
  const { spec } = await core.readNamespacedService({ name: "media-janus-media", namespace: own });
  expect(spec?.ports).toHaveLength(count);
  expect([spec?.type, spec?.ports?.[0]?.port]).toEqual(wanted);
  if (spec?.type === "NodePort")
    expect(spec.ports?.every(({ port, nodePort }) => port === nodePort)).toBe(true);
});

test("when the release is gone its generated secrets are still there, and another installation adopts them", async () => {
  // No controller runs the Job that removes the tunnel from its nodes.
  await helm(["uninstall", "fleet", "--no-hooks"]);
  expect(await secrets()).toEqual(first);
  await core.deleteNode({ name: "another" });
  await helm(["install", "fleet", chart], withTunnel);
  await madeIn("fleet");
  expect(await secrets()).toEqual(first);
});

test.each(["minimal", "kind"])("the example %s is accepted", async (example) => {
  const values = join(chart, "examples", `${example}.yaml`);
  await helm(["upgrade", "fleet", chart, "--values", values, "--dry-run=server"]);
});
