import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments, stringify } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { runFolder } from "../../src/testing/run-folder";
import { chartFolder } from "./values/values-schema";

export const run = promisify(execFile);

/** Where .ci/charts/tools puts helm and kubectl-validate. */
export const tool = (name: string): string => join(packageRoot, "node_modules/.cache/chart-tools", name);

/** Minor versions of Kubernetes that every object is held against, from the oldest that the chart takes. */
export const kubernetesMinors = ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"] as const;

export interface KubernetesObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: Record<string, unknown>;
  readonly [field: string]: unknown;
}

export const examples = readdirSync(join(chartFolder, "examples")).map((name) => name.replace(".yaml", ""));

/** The release that is rendered unless another is named. */
const fleet = { release: "fleet", namespace: "drones" };

/** The chart's output as text, with `sets` as given by `--set`. Rejects with helm's output. */
export async function template(
  values: object,
  example?: string,
  sets: Readonly<Record<string, string>> = {},
  { release, namespace } = fleet,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "chart-values-"));
  try {
    writeFileSync(join(folder, "values.yaml"), stringify(values));
    const files = [
      ...(example ? [join(chartFolder, "examples", `${example}.yaml`)] : []),
      join(folder, "values.yaml"),
    ];
    const { stdout } = await run(
      tool("helm"),
      [
        ...["template", release, chartFolder, "--namespace", namespace],
        ...["--kube-version", `${kubernetesMinors[0]}.0`],
        ...files.flatMap((file) => ["--values", file]),
        ...Object.entries(sets).flatMap(([path, value]) => ["--set", `${path}=${value}`]),
      ],
      { maxBuffer: 16 * 1024 * 1024 },
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The chart's objects. Rendered once in a run, since suite after suite looks at the same values. */
export async function render(...given: Parameters<typeof template>): Promise<KubernetesObject[]> {
  const name = createHash("sha256").update(JSON.stringify(given)).digest("hex");
  const kept = join(runFolder(), `rendered-${name}.json`);
  if (!existsSync(kept)) {
    const objects = parseAllDocuments(await template(...given))
      .map((document) => document.toJSON() as KubernetesObject | null)
      .filter((object) => object !== null);
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(objects));
    renameSync(unfinished, kept);
  }
  return JSON.parse(readFileSync(kept, "utf8"));
}

/** Addresses that a chart rendered outside a cluster cannot look up. */
export const hubAddress = { networkPolicy: { tunnelNodes: ["10.1.2.3/32"] } };
const tunnel = { tunnel: { enabled: true, endpointHost: "vpn.example.com" }, ...hubAddress };

export const leasedHubs = {
  ...tunnel,
  tunnel: { ...tunnel.tunnel, lease: { enabled: true }, nodes: ["one", "two"] },
};

/** Sets for controllers are given beside other values; with the bundled store's host they have both Ingresses. */
const publishedObjects = (example: string): object =>
  example.startsWith("ingress-") ? { ingress: { objectsHost: "objects.example.com" } } : {};

/** A name for some values, and the values: every example, and each switch in turn. */
const cases: readonly (readonly [name: string, values: object, example?: string])[] = [
  ["no values", {}],
  ...examples.map((example) => [example, publishedObjects(example), example] as const),
  ["the tunnel", tunnel],
  ["the tunnel in the kernel alone", { ...tunnel, tunnel: { ...tunnel.tunnel, dataplane: "kernel" } }],
  ["hubs with a lease", leasedHubs],
  [
    "Cilium",
    {
      ...tunnel,
      networkPolicy: { ...tunnel.networkPolicy, cilium: true },
      simulator: { copters: 60, rovers: 30 },
    },
  ],
  ["the contract profile", { ...tunnel, accessProfile: "contract", deployment: "local" }],
  ["a worker without videos", { worker: { enabled: true, replicas: 2, videoPackaging: false } }],
  [
    "a simulation instance in the cluster",
    { simulation: { provider: "kubernetes" }, simulator: { replicas: 0 } },
  ],
  ["a fleet of simulated vehicles", { simulator: { copters: 3, rovers: 2, px4Copters: 1 } }],
  [
    "limits of the operator's own",
    {
      gateway: { env: { QUOTA_UPLOAD_BYTES: 10_485_760, TELEMETRY_MAX_HZ: "5", DO_UNSUBSCRIBE: false } },
      relay: { env: { NODE_OPTIONS: "--max-old-space-size=400", RELAY_PING_SECONDS: 5 } },
      worker: { enabled: true, env: { DATABASE_POOL_MAX: 15 } },
    },
  ],
  [
    "an image of the operator's own for drones",
    { ...tunnel, setup: { onboardImage: "registry.example.com/onboard:2" } },
  ],
  ["Janus", { janus: { enabled: true, image: "registry.example.com/janus:1.1.2", rtpPorts: "20000-20010" } }],
  [
    "Janus on its node's ports",
    { janus: { enabled: true, image: "registry.example.com/janus:1.1.2", hostPorts: true } },
  ],
  [
    "Janus by the nodes' ports",
    {
      janus: {
        ...{ enabled: true, image: "registry.example.com/janus:1.1.2", rtpPorts: "30000-30010" },
        service: { type: "NodePort" },
      },
    },
  ],
  ["a Janus elsewhere", { janus: { url: "http://media.example.com:8088/janus", existingSecret: "janus" } }],
  ["files synced for development", { ...leasedHubs, development: { sync: true }, worker: { enabled: true } }],
  ["a debugger's hold", { ...tunnel, development: { debug: true }, worker: { enabled: true } }],
  [
    "routes of a Gateway",
    {
      route: {
        enabled: true,
        parentRefs: [{ name: "public", namespace: "gateways", sectionName: "https", port: 443 }],
        objectsHost: "*.example.com",
        requestTimeout: "1h30m",
      },
    },
  ],
  [
    "routes without timeouts beside an Ingress",
    {
      route: { enabled: true, parentRefs: [{ name: "public" }], requestTimeout: "" },
      ingress: { enabled: true, objectsHost: "objects.example.com" },
      gateway: { console: false },
    },
  ],
  ["two gateways", { gateway: { replicas: 2 } }],
  ["gateways that scale", { gateway: { autoscaling: { enabled: true } } }],
  ["a gateway without leases", { leases: { enabled: false } }],
  ["relays that scale", { relay: { autoscaling: { enabled: true } } }],
  ["monitoring", { monitoring: { podMonitor: true, rules: true, dashboard: true } }],
  ["no network policies", { ...tunnel, networkPolicy: { enabled: false } }],
  [
    "servers without volumes",
    Object.fromEntries(
      ["postgres", "redis", "minio"].map((name) => [name, { persistence: { enabled: false } }]),
    ),
  ],
  ["a mail server", { mail: { url: "smtp://fleet:a-good-password@mail.example.com:2500" } }],
  [
    "existing Secrets",
    {
      ...tunnel,
      secrets: { existingSecret: "of-keys" },
      tunnel: { ...tunnel.tunnel, existingSecret: "of-the-hub" },
      postgres: { existingSecret: "of-postgres" },
      redis: { existingSecret: "of-redis" },
      minio: { existingSecret: "of-minio" },
      janus: { enabled: true, image: "registry.example.com/janus:1.1.2", existingSecret: "of-janus" },
    },
  ],
  ["a digest and pull secrets", { image: { digest: `sha256:${"a".repeat(64)}`, pullSecrets: ["registry"] } }],
];

export const matrix = cases.map(([name, values, example]) => ({ name, values, example }));
