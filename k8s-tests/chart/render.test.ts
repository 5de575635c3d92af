import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchemas } from "../../src/platform/config";
import { packageRoot } from "../../src/platform/version";
import { freshFolder } from "../../src/testing";
import { generatedKinds } from "./generated";
import { type KubernetesObject, kubernetesMinors, matrix, render, run, tool } from "./helm";
import { type Container, containersOf, type PodSpec, workloads } from "./pods";
import { freeVariables, takesVariables } from "./variables";

/** Kinds of the Prometheus operator, whose schemas are no part of Kubernetes. */
const foreign = (object: KubernetesObject) => object.apiVersion.startsWith("monitoring.coreos.com/");
/** Where .ci/charts/tools puts the schema of Cilium's policies. */
const otherKinds = join(packageRoot, "node_modules/.cache/chart-tools/crds");

describe.each(matrix)("with $name", ({ name, values, example }) => {
  let objects: KubernetesObject[];
  const envOf = (component: string): object =>
    (values as Record<string, { env?: object } | undefined>)[component]?.env ?? {};
  beforeAll(async () => {
    objects = await render(values, example);
  });

  test.each(kubernetesMinors)("every object is valid for Kubernetes %s", async (minor) => {
    const folder = freshFolder("objects");
    const own = objects.filter((object) => !foreign(object));
    expect(own.length).toBeGreaterThan(10);
    for (const [at, object] of own.entries()) {
      writeFileSync(join(folder, `${at}-${object.kind}.json`), JSON.stringify(object));
    }
    await run(tool("kubectl-validate"), ["--version", minor, "--local-crds", otherKinds, folder], {
      maxBuffer: 16 * 1024 * 1024,
    });
  });

  test("no name is given twice", () => {
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  });

  test("no pod has the namespace's Services as variables: one called `gateway` would be its GATEWAY_PORT", () => {
    const linked = workloads(objects).filter(({ pod }) => pod.enableServiceLinks !== false);
    expect(linked.map(({ object }) => object.metadata.name)).toEqual([]);
  });

  test("only the tunnel, and what takes it off its node, is privileged, on the host's network or near the host's files", () => {
    for (const { object, pod, labels } of workloads(objects)) {
      const component = labels["app.kubernetes.io/component"];
      if (component === "tunnel" || component === "teardown") continue;
      const where = `${object.kind}/${object.metadata.name}`;
      // The pod that says where the hub serves has the hub's address, and no rights.
      expect([where, pod.hostNetwork ?? false]).toEqual([where, component === "active-hub"]);
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

  test("every container that serves has its three probes, and one that a debugger may hold none that ends it", () => {
    for (const { pod, labels } of workloads(objects).filter(({ isService }) => isService)) {
      if (labels["app.kubernetes.io/component"] === "active-hub") continue;
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

  test("one that runs beside another is looked after", () => {
    // Probed and found slow, wireguard-go would be killed, and every tunnel with it. It is started again when it ends.
    const unprobed = workloads(objects)
      .flatMap(({ pod }) => sidecarsOf(pod))
      .filter(({ name, livenessProbe }) => name !== "wireguard-go" && !livenessProbe);
    expect(unprobed).toEqual([]);
  });

  test("a token of the cluster is mounted only where it is used", () => {
    const mounted = workloads(objects).filter(({ pod }) => pod.automountServiceAccountToken !== false);
    const uses: Record<string, string[]> = {
      "a simulation instance in the cluster": ["gateway"],
      "hubs with a lease": ["tunnel"],
      "files synced for development": ["tunnel"],
    };
    const components = mounted.map(({ labels }) => labels["app.kubernetes.io/component"]);
    // Where every Secret is given, none is made.
    const maker = ["production", "aws", "existing Secrets"].includes(name) ? [] : ["secrets"];
    expect(components.toSorted()).toEqual([...(uses[name] ?? []), ...maker].toSorted());
  });

  test("a right in the cluster is one on a named object of the namespace", () => {
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

  test("only public paths are published, and no Service but through an Ingress", () => {
    const specs = (wanted: string) =>
      objects.filter(({ kind }) => kind === wanted).map(({ spec }) => spec as unknown);
    const published = (specs("Ingress") as IngressSpec[])
      .flatMap(({ rules }) => rules.flatMap(({ http }) => http.paths))
      .map(({ path, backend: { service } }) => `${path} ${service.name} ${service.port.name}`);
    const api = ["/api", "/socket.io", "/apispec.json"].map((path) => `${path} fleet-gateway http`);
    const sticks = ["/redispad", "/gamepad", "/drone"].map((path) => `${path} fleet-relay http`);
    const files = ["/fleet", "/fleet-vpn"].map((path) => `${path} fleet-minio http`);
    expect(published.filter((one) => ![...api, ...sticks, ...files].includes(one))).toEqual([]);
    const types = (specs("Service") as { type?: string }[]).map(({ type = "ClusterIP" }) => type);
    expect(types.filter((type) => type !== "ClusterIP")).toEqual([]);
  });

  test("every pod has longer to end than its process drains, and a replica's pod keeps away from the others", () => {
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

  test("every Secret that is referred to is made, or named in the values", () => {
    const given = JSON.stringify(values) + JSON.stringify(exampleSecrets[example ?? ""] ?? []);
    const made = new Map(
      Object.entries(generatedKinds(objects)).map(([name, kinds]) => [name, Object.keys(kinds)]),
    );
    for (const { metadata, stringData } of objects.filter(({ kind }) => kind === "Secret")) {
      made.set(metadata.name, Object.keys(stringData as object));
    }
    for (const { secret, key } of secretReferences(objects)) {
      if (given.includes(`"${secret}"`)) continue;
      expect(made.get(secret)).toContain(key);
    }
  });

  test("no manifest has a key: a rollback would put it back", () => {
    const rendered = objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name);
    const isGiven = JSON.stringify(values).includes('"mail":{"url"') || example === "minimal";
    expect(rendered).toEqual(isGiven ? ["fleet-mail"] : []);
  });

  test("nothing secret stands in a variable, an argument or a ConfigMap", () => {
    const secrets = objects
      .filter(({ kind }) => kind === "Secret")
      .flatMap(({ stringData }) => Object.values(stringData as Record<string, string>))
      .filter((value) => value.length >= 16);
    const rest = JSON.stringify(objects.filter(({ kind }) => kind !== "Secret"));
    expect(secrets.filter((value) => rest.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
  });

  test("every variable is one that its process reads, and every one that it requires is given", () => {
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
      expect(names.filter((name) => !(name in schema.shape) && name !== "NODE_OPTIONS")).toEqual([]);
      expect(names.filter((variable, at) => names.indexOf(variable) !== at)).toEqual([]);
      const process = processOf(container);
      if (!takesVariables(process)) continue;
      const free = freeVariables(process);
      expect(names.filter((variable) => variable in free)).toEqual(Object.keys(envOf(process)).toSorted());
      const values = Object.fromEntries(
        env.map(({ name, value }) => [name, value?.replace(/\$\(\w+\)/, "10.42.0.7") ?? placeholder(name)]),
      );
      expect(schema.safeParse(values).error?.issues ?? []).toEqual([]);
    }
    expect(seen).toBeGreaterThan(3);
  });
});

/** Those that start before the others and stay. */
const sidecarsOf = ({ initContainers = [] }: PodSpec): readonly Container[] =>
  initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");

interface RoleRule {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface IngressPath {
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
}
interface IngressSpec {
  readonly rules: readonly { readonly http: { readonly paths: readonly IngressPath[] } }[];
}

/** `dist/cmd/admin.js create-buckets` → `admin create-buckets`, as configSchemas calls it. */
function processOf({ args = [] }: Container): string {
  const at = args.findIndex((word) => /(^|\/)cmd\/\w+\.[jt]s$/.test(word));
  const [, name = ""] = /(\w+)\.[jt]s$/.exec(args[at] ?? "") ?? [];
  const [mode] = args
    .slice(at + 1)
    .filter((word) => name === "admin" || ["--userspace", "--guard", "--teardown"].includes(word));
  return mode ? `${name} ${mode}` : name;
}

/** What a Secret would hold, in a shape that the schema takes. */
function placeholder(name: string): string {
  if (name === "ARCHIVE_SIGNING_KEY") return signingKey;
  if (name.endsWith("_URL")) return "postgres://user:password@server:5432/name";
  return "x".repeat(48);
}

const signingKey = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";

/** Secrets that the examples name, and docs/install.md describes. */
const exampleSecrets: Readonly<Record<string, readonly string[]>> = {
  production: [
    ...["fleet-keys", "fleet-hub-keys", "fleet-mail", "fleet-billing", "fleet-drone-registry"],
    ...["fleet-database", "fleet-redis", "fleet-objects"],
  ],
  aws: ["fleet-keys", "fleet-hub-keys", "fleet-mail", "fleet-database", "fleet-redis"],
};

function secretReferences(objects: readonly KubernetesObject[]): { secret: string; key: string }[] {
  return workloads(objects).flatMap(({ pod }) => [
    ...containersOf(pod).flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef
          ? [{ secret: valueFrom.secretKeyRef.name, key: valueFrom.secretKeyRef.key }]
          : [],
      ),
    ),
    ...(pod.volumes ?? []).flatMap(({ secret }) =>
      (secret?.items ?? []).map(({ key }) => ({ secret: secret?.secretName ?? "", key })),
    ),
  ]);
}
