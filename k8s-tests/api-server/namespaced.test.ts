import { AppsV1Api, CoreV1Api, NetworkingV1Api, RbacAuthorizationV1Api } from "@kubernetes/client-node";
import { chartFolder as chart } from "../chart/values/values-schema";
import { apiServer } from "./config";
import { helmIn } from "./helm-in";

/** The chart in a real API server, installed with rights in one namespace and none in the cluster. */
const namespace = `namespaced-${process.pid}`;
const deployer = "deployer";
let apps: AppsV1Api;
let networking: NetworkingV1Api;

beforeAll(async () => {
  const config = apiServer();
  apps = config.makeApiClient(AppsV1Api);
  networking = config.makeApiClient(NetworkingV1Api);
  await config.makeApiClient(CoreV1Api).createNamespace({ body: { metadata: { name: namespace } } });
  // The rules of the role `admin`; the controller that aggregates them does not run here.
  for (const part of ["admin", "edit", "view"].map((name) => `system:aggregate-to-${name}`)) {
    const body = {
      metadata: { name: part },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: part },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: deployer }],
    };
    await config.makeApiClient(RbacAuthorizationV1Api).createNamespacedRoleBinding({ namespace, body });
  }
});

const asAdmin = helmIn(namespace);
const helm = (command: string[], values: object = {}) =>
  asAdmin([...command, "--kube-as-user", deployer], values);
const tunnel = { enabled: true, endpointHost: "vpn.example.com", priorityClass: { create: false } };

test("an administrator of one namespace installs without the tunnel", async () => {
  await helm(["install", "fleet", chart]);
});

test.each([
  ["neither the node's name nor its address", tunnel, undefined],
  ["its name alone", { ...tunnel, nodes: ["hub"] }, undefined],
  ["its address alone, which does not tell whether another is labelled", tunnel, ["10.1.2.3/32"]],
])(
  "given %s the tunnel requires the right to list nodes, and the refusal names it",
  async (_what, given, tunnelNodes) => {
    const values = { tunnel: given, networkPolicy: { tunnelNodes } };
    await expect(helm(["upgrade", "fleet", chart], values)).rejects.toMatchObject({
      stderr: expect.stringContaining('cannot list resource "nodes"'),
    });
  },
);

test("given name and address an administrator of one namespace installs the tunnel without listing nodes", async () => {
  const networkPolicy = { tunnelNodes: ["10.1.2.3/32"] };
  await helm(["upgrade", "fleet", chart], { tunnel: { ...tunnel, nodes: ["hub"] }, networkPolicy });
  await apps.readNamespacedDaemonSet({ name: "fleet-tunnel", namespace });
  const policy = await networking.readNamespacedNetworkPolicy({ name: "fleet-gateway", namespace });
  expect(policy.spec?.ingress).toContainEqual({
    _from: [{ ipBlock: { cidr: "10.1.2.3/32" } }],
    ports: [{ protocol: "TCP", port: 8081 }],
  });
});

test.each([
  ["names", ["hub", "another"]],
  ["addresses alone", []],
])(
  "given %s an administrator of one namespace installs two hubs with a lease, and uninstalls each",
  async (_what, nodes) => {
    const networkPolicy = { tunnelNodes: ["10.1.2.3/32", "10.1.2.4/32"] };
    const values = { tunnel: { ...tunnel, lease: { enabled: true }, nodes }, networkPolicy };
    await helm(["upgrade", "fleet", chart], values);
    await apps.readNamespacedDaemonSet({ name: "fleet-active-hub", namespace });
    const hooks = await helm(["get", "hooks", "fleet"]);
    expect(hooks).toMatch(/name: fleet-teardown[\s\S]*completions: 2\n/);
  },
);

test("without NetworkPolicies the name is enough", async () => {
  const values = { tunnel: { ...tunnel, nodes: ["hub"] }, networkPolicy: { enabled: false } };
  await helm(["upgrade", "fleet", chart], values);
});
