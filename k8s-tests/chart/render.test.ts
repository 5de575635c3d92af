import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { paths as consolePaths } from "../../src/console/paths";
import { configSchemas } from "../../src/platform/config";
import { packageRoot } from "../../src/platform/process/version";
import { freshFolder } from "../../src/testing";
import { type KubernetesObject, kubernetesMinors, matrix, render, run, tool } from "./helm";
import { type Container, containersOf, type PodSpec, processOf, type Variable, workloads } from "./pods";
import { freeVariables, takesVariables } from "./values/variables";

/** Where .ci/charts/tools puts the schemas of Cilium's policies, of the Prometheus operator's objects and of HTTPRoutes. */
const otherKinds = join(packageRoot, "node_modules/.cache/chart-tools/crds");

/** By Node.js, before any configuration of ours is, and by AWS's SDK. */
const readByLibraries = new Set(["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "AWS_REGION"]);

/** Objects of every case, for one run of kubectl-validate, which takes most of a second to read a version's schemas. */
const folder = freshFolder("objects");

describe.each(matrix)("with $name", ({ name, values, example }) => {
  let objects: KubernetesObject[];
  const envOf = (component: string): object =>
    (values as Record<string, { env?: object } | undefined>)[component]?.env ?? {};
  beforeAll(async () => {
    objects = await render(values, example);
    expect(objects.length).toBeGreaterThan(10);
    writeFileSync(
      join(folder, `${name}.yaml`),
      objects.map((object) => JSON.stringify(object)).join("\n---\n"),
    );
  });

  test("no two objects have the same name", () => {
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  });

  test("no pod gets variables of the namespace's Services: a Service named `gateway` would set GATEWAY_PORT", () => {
    const linked = workloads(objects).filter(({ pod }) => pod.enableServiceLinks !== false);
    expect(linked.map(({ object }) => object.metadata.name)).toEqual([]);
  });

  test("only the tunnel's pods use the host's namespaces and files, and Janus its ports on request", () => {
    for (const { object, pod, labels } of workloads(objects)) {
      const component = labels["app.kubernetes.io/component"] ?? "";
      const { hostNetwork = false, hostPID = false, hostIPC = false } = pod;
      const hostPorts = containersOf(pod).some(({ ports = [] }) => ports.some(({ hostPort }) => hostPort));
      expect({ of: object.metadata.name, hostNetwork, hostPID, hostIPC, hostPorts }).toEqual({
        of: object.metadata.name,
        hostNetwork: ["tunnel", "wireguard-go", "active-hub", "teardown"].includes(component),
        hostPID: false,
        hostIPC: false,
        hostPorts: component === "janus" && name === "Janus on its node's ports",
      });
    }
  });

  test("only the tunnel, wireguard-go and the teardown are privileged or mount the host's files", () => {
    for (const { object, pod, labels } of workloads(objects)) {
      const component = labels["app.kubernetes.io/component"] ?? "";
      if (["tunnel", "wireguard-go", "teardown"].includes(component)) continue;
      const where = `${object.kind}/${object.metadata.name}`;
      expect([where, pod.volumes?.filter((volume) => volume.hostPath) ?? []]).toEqual([where, []]);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const container of containersOf(pod)) {
        expect([where, container.securityContext]).toEqual([
          where,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
        ]);
      }
    }
  });

  test("every container has an exact image, requests and a memory limit", () => {
    for (const { pod } of workloads(objects)) {
      for (const { image, resources } of containersOf(pod)) {
        expect(image).toMatch(/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/);
        expect(image).not.toMatch(/:latest$/);
        expect(resources).toMatchObject({
          requests: { cpu: expect.anything(), memory: expect.anything() },
          limits: { memory: expect.anything() },
        });
      }
    }
  });

  test("every container that serves has three probes, and under a debugger none that restarts it", () => {
    for (const { pod, labels } of workloads(objects).filter(({ isService }) => isService)) {
      // They answer no requests.
      if (["active-hub", "wireguard-go"].includes(labels["app.kubernetes.io/component"] ?? "")) continue;
      for (const container of pod.containers) {
        if (container.args?.includes("--inspect") && container.name !== "simulator") {
          const { startupProbe, livenessProbe, readinessProbe } = container;
          expect([startupProbe, livenessProbe, readinessProbe]).toEqual([
            undefined,
            undefined,
            expect.any(Object),
          ]);
          continue;
        }
        for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"] as const) {
          expect([container.name, probe, container[probe]]).toEqual([
            container.name,
            probe,
            expect.any(Object),
          ]);
        }
      }
    }
  });

  test("containers mount exactly the volumes of their pod", () => {
    for (const { object, pod } of workloads(objects)) {
      const { volumeClaimTemplates = [] } = object.spec as { volumeClaimTemplates?: Claim[] };
      const volumes = [
        ...(pod.volumes ?? []).map((volume) => volume.name),
        ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ].toSorted();
      const mounts = containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts);
      const mounted = [...new Set(mounts.map((mount) => mount.name))].toSorted();
      expect([object.metadata.name, mounted]).toEqual([object.metadata.name, volumes]);
    }
  });

  test("every sidecar but wireguard-go has a liveness probe", () => {
    // Probed and found slow, wireguard-go would be killed, and every tunnel with it. It is started again when it ends.
    const unprobed = workloads(objects)
      .flatMap(({ pod }) => sidecarsOf(pod))
      .filter(({ name, livenessProbe }) => name !== "wireguard-go" && !livenessProbe);
    expect(unprobed).toEqual([]);
  });

  test("a service account's token is mounted only where it is used", () => {
    const mounted = workloads(objects).filter(({ pod }) => pod.automountServiceAccountToken !== false);
    const uses: Record<string, string[]> = {
      "a simulation instance in the cluster": ["gateway"],
      "hubs with a lease": ["tunnel"],
      "files synced for development": ["tunnel"],
    };
    const components = mounted.map(({ labels }) => labels["app.kubernetes.io/component"]);
    // Where every Secret is given, the chart makes no Secret.
    const maker = ["production", "aws", "existing Secrets"].includes(name) ? [] : ["secrets"];
    expect(components.toSorted()).toEqual([...(uses[name] ?? []), ...maker].toSorted());
  });

  test("every right in the cluster is limited to named objects of the namespace", () => {
    const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
    expect(ofKind("ClusterRole", "ClusterRoleBinding")).toEqual([]);
    const isNewSecret = ({ resources, verbs }: RoleRule) => `${verbs} ${resources}` === "create secrets";
    const rules = ofKind("Role").flatMap(({ metadata, rules }) =>
      (rules as RoleRule[]).filter((rule) => !(metadata.name === "fleet-secrets" && isNewSecret(rule))),
    );
    for (const rule of rules) {
      expect(rule.resourceNames?.length ?? 0).toBeGreaterThan(0);
      expect([...rule.verbs, ...rule.resources]).not.toContain("*");
    }
  });

  test("only public paths are published, by an Ingress or routes, and Janus's media by its Service", () => {
    const byIngress = publishedByIngress(objects);
    const byRoutes = publishedByRoutes(objects);
    const isOfGateway = (one: string) => !one.includes("fleet-minio");
    if (byIngress.length > 0 && byRoutes.length > 0)
      expect(byRoutes.filter(isOfGateway).toSorted()).toEqual(byIngress.filter(isOfGateway).toSorted());
    const published = [...byIngress, ...byRoutes];
    const pages = Object.values(consolePaths).map((path) => `/${path.split("/")[1]}`);
    const ofConsole = ["/assets", ...pages].map(
      (path) => `${path === "/" ? "only " : ""}${path} fleet-gateway http`,
    );
    const api = ["/api", "/socket.io", "/apispec.json", "/openapi.json", "/asyncapi.json"].map(
      (path) => `${path} fleet-gateway http`,
    );
    const sticks = ["/redispad", "/drone"].map((path) => `${path} fleet-relay http`);
    const files = ["/fleet", "/fleet-vpn"].map((path) => `${path} fleet-minio http`);
    expect(published.filter((one) => ![...api, ...ofConsole, ...sticks, ...files].includes(one))).toEqual([]);
    const hasConsole = (values as { gateway?: { console?: boolean } }).gateway?.console !== false;
    if (published.length > 0)
      expect(ofConsole.filter((one) => published.includes(one) !== hasConsole)).toEqual([]);
    const types = objects
      .filter(({ kind }) => kind === "Service")
      .map(({ metadata, spec }) => `${metadata.name} ${spec?.type ?? "ClusterIP"}`);
    const media: Record<string, string> = {
      ...{
        Janus: "LoadBalancer",
        "existing Secrets": "LoadBalancer",
        "Janus by the nodes' ports": "NodePort",
      },
    };
    expect(types.filter((one) => !one.endsWith(" ClusterIP"))).toEqual(
      media[name] ? [`fleet-janus-media ${media[name]}`] : [],
    );
  });

  test("every pod's grace period is longer than its process's drain, and replicas are spread over nodes", () => {
    let seen = 0;
    for (const { object, pod } of workloads(objects)) {
      for (const { env = [], lifecycle } of pod.containers) {
        const drain = env.find(({ name }) => name === "SHUTDOWN_DRAIN_SECONDS")?.value;
        if (drain === undefined) continue;
        seen++;
        const before = Number(lifecycle?.preStop?.exec.command[1] ?? 0);
        expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(drain) + before);
        if (object.kind !== "Deployment") continue;
        expect(before).toBeGreaterThan(0);
        expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
          "kubernetes.io/hostname",
          "topology.kubernetes.io/zone",
        ]);
      }
    }
    expect(seen).toBeGreaterThan(1);
  });

  test("every variable is read by its process, and every required one is set", () => {
    let seen = 0;
    for (const container of workloads(objects).flatMap(({ pod }) => containersOf(pod))) {
      const schema = configSchemas[processOf(container)];
      if (!schema) continue;
      seen++;
      // Kubernetes puts the one variable into the other; the process does not read it itself.
      const inOthers = (container.env ?? []).flatMap(
        ({ value }) => value?.match(/(?<=\$\()\w+(?=\))/g) ?? [],
      );
      const env = (container.env ?? []).filter(({ name }) => !inOthers.includes(name));
      const names = env.map((variable) => variable.name);
      expect(names.filter((name) => !(name in schema.shape) && !readByLibraries.has(name))).toEqual([]);
      expect(names.filter((variable, at) => names.indexOf(variable) !== at)).toEqual([]);
      const process = processOf(container);
      if (!takesVariables(process)) continue;
      const free = freeVariables(process);
      expect(names.filter((variable) => variable in free)).toEqual(Object.keys(envOf(process)).toSorted());
      const given = Object.fromEntries(
        (container.env ?? []).map((one) => [one.name, one.value ?? placeholder(one)]),
      );
      const values = Object.fromEntries(
        names.map((name) => [name, given[name]?.replace(/\$\((\w+)\)/g, (_, other) => given[other] ?? "")]),
      );
      expect(schema.safeParse(values).error?.issues ?? []).toEqual([]);
    }
    expect(seen).toBeGreaterThan(3);
  });
});

test.each(kubernetesMinors)("every object of every case is valid for Kubernetes %s", async (minor) => {
  expect(readdirSync(folder)).toHaveLength(matrix.length);
  const { stdout, stderr } = await validated(minor, folder);
  expect([stdout.match(/[^/]+\.yaml(?=.*ERROR)/g), stderr]).toEqual([null, ""]);
});

test("the newest Kubernetes still has every API that is rendered", () => {
  const added = readdirSync(tool(".")).find((name) => /^kubernetes-v/.test(name)) ?? "";
  expect(added).toContain(kubernetesMinors.at(-1));
  expect(readdirSync(folder)).toHaveLength(matrix.length);
  const rendered = readdirSync(folder).flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((object) =>
      String(object.get("apiVersion")),
    ),
  );
  const ofOthers = /^(cilium\.io|monitoring\.coreos\.com|gateway\.networking\.k8s\.io)\//;
  const own = [...new Set(rendered)].filter((apiVersion) => !ofOthers.test(apiVersion));
  expect(own).toEqual(expect.arrayContaining(["v1", "apps/v1", "networking.k8s.io/v1"]));
  const folderOf = (apiVersion: string) =>
    apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
  expect(own.filter((apiVersion) => !existsSync(join(tool(added), `${folderOf(apiVersion)}.json`)))).toEqual(
    [],
  );
});

test.each([
  ["a misspelt field", { parentRef: [{ name: "public" }] }, /spec\.parentRef: .*unknown field/],
  ["a misspelt field of a rule", { rules: [{ timeouts: { requests: "5m" } }] }, /requests: .*unknown field/],
  ["a duration that is none", { rules: [{ timeouts: { request: "5 minutes" } }] }, /request: Invalid value/],
])("an HTTPRoute with %s would be found", async (name, spec, words) => {
  const other = freshFolder("routes");
  const route = { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name: "a" } };
  writeFileSync(join(other, `${name}.yaml`), JSON.stringify({ ...route, spec }));
  const { stdout, stderr } = await validated(kubernetesMinors[0], other);
  expect(stdout + stderr).toMatch(words);
});

/** kubectl-validate's output on the files of a folder, by its own schemas or those that .ci/charts/tools adds. */
const validated = (minor: string, files: string): Promise<{ stdout: string; stderr: string }> => {
  const added = readdirSync(tool(".")).find((name) => name.startsWith(`kubernetes-v${minor}.`));
  const schemas = added ? ["--local-schemas", tool(added)] : ["--version", minor];
  return run(tool("kubectl-validate"), [...schemas, "--local-crds", otherKinds, files], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((failed) => failed);
};

/** Those that start before the others and stay. */
const sidecarsOf = ({ initContainers = [] }: PodSpec): readonly Container[] =>
  initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");

interface Claim {
  readonly metadata: { readonly name: string };
}

interface RoleRule {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Each public path of an Ingress, as `/api fleet-gateway http`. */
const publishedByIngress = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === "Ingress")
    .flatMap(({ spec }) => (spec as unknown as IngressSpec).rules.flatMap(({ http }) => http.paths))
    .map(
      ({ path, pathType, backend: { service } }) =>
        `${pathType === "Exact" ? "only " : ""}${path} ${service.name} ${service.port.name}`,
    );

/** Each public path of an HTTPRoute, likewise: a port is named as its Service names it. */
function publishedByRoutes(objects: readonly KubernetesObject[]): string[] {
  const portName = (service: string, port: number): string => {
    const found = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === service);
    const { ports = [] } = (found?.spec ?? {}) as { ports?: { name: string; port: number }[] };
    return ports.find((one) => one.port === port)?.name ?? `no port ${port}`;
  };
  return objects
    .filter(({ kind }) => kind === "HTTPRoute")
    .flatMap(({ spec }) => (spec as unknown as HttpRouteSpec).rules)
    .flatMap(({ matches, backendRefs }) =>
      matches.flatMap(({ path: { type, value } }) =>
        backendRefs.map(
          ({ name, port }) => `${type === "Exact" ? "only " : ""}${value} ${name} ${portName(name, port)}`,
        ),
      ),
    );
}

interface HttpRouteSpec {
  readonly rules: readonly {
    readonly matches: readonly { readonly path: { readonly type: string; readonly value: string } }[];
    readonly backendRefs: readonly { readonly name: string; readonly port: number }[];
  }[];
}

interface IngressPath {
  readonly pathType: string;
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
}
interface IngressSpec {
  readonly rules: readonly { readonly http: { readonly paths: readonly IngressPath[] } }[];
}

/** A value for a Secret's key that the schema accepts. Values of Kubernetes itself are those of an IPv6 cluster. */
function placeholder({ name, valueFrom }: Variable): string {
  if (/^status\.(pod|host)IP$/.test(valueFrom?.fieldRef?.fieldPath ?? "")) return "fd00:10:42::7";
  if (name === "ARCHIVE_SIGNING_KEY") return signingKey;
  if (name.endsWith("_URL")) return "postgres://user:password@server:5432/name";
  return "x".repeat(48);
}

const signingKey = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
