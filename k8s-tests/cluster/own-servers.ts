import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { V1Container } from "@kubernetes/client-node";
import { parse } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { until } from "../../src/testing/until";
import { createOfGatewayApi, publicListener } from "./own-gateway";
import { core, exec, freshNamespace, isReady } from "./release";

const namespace = "fleet-test-servers";
/** As the chart's values have them. */
const buckets = ["fleet", "fleet-vpn"];
const PASSWORD = "of-an-operator-s-own";

/** Of the image by whose name the chart has it. */
function imageOf(server: string): string {
  const values = readFileSync(join(packageRoot, `charts/fleet-gateway/charts/${server}/values.yaml`), "utf8");
  const { repository, tag } = parse(values).image;
  return `${repository}:${tag}`;
}

/** As docs/install.md has the rights of the edge's user. */
function edgeRights(): string[] {
  const page = readFileSync(join(packageRoot, "docs/install.md"), "utf8");
  const [, rights = ""] = /`ACL SETUSER edge on >… ([^`]+)`/.exec(page) ?? [];
  return rights.split(/\s+/);
}

const containers: Readonly<
  Record<string, { port: number; container: Partial<V1Container>; folder: string }>
> = {
  postgres: {
    port: 5432,
    folder: "/var/lib/postgresql/data",
    container: {
      env: Object.entries({
        POSTGRES_USER: "operator",
        POSTGRES_DB: "drones",
        POSTGRES_PASSWORD: PASSWORD,
        PGDATA: "/var/lib/postgresql/data/pgdata",
      }).map(([name, value]) => ({ name, value })),
      readinessProbe: { exec: { command: ["pg_isready", "-h", "127.0.0.1"] }, periodSeconds: 1 },
    },
  },
  redis: {
    port: 6379,
    folder: "/data",
    container: {
      args: [
        ...["redis-server", "--user", "default", "on", `>${PASSWORD}`, "~*", "&*", "+@all"],
        ...["--user", "edge", "on", `>${PASSWORD}-edge`, ...edgeRights()],
      ],
      readinessProbe: { tcpSocket: { port: 6379 }, periodSeconds: 1 },
    },
  },
  minio: {
    port: 9000,
    folder: "/data",
    container: {
      args: ["server", "/data", "--address", ":9000"],
      env: Object.entries({ MINIO_ROOT_USER: "operator", MINIO_ROOT_PASSWORD: PASSWORD }).map(
        ([name, value]) => ({
          name,
          value,
        }),
      ),
      readinessProbe: { httpGet: { path: "/minio/health/ready", port: 9000 }, periodSeconds: 1 },
    },
  },
};

async function start(name: string): Promise<string> {
  const { port, container, folder } = containers[name] as (typeof containers)[string];
  const volumes = [{ name: "data", emptyDir: {} }];
  const spec = {
    securityContext: { runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
    containers: [
      { name, image: imageOf(name), ...container, volumeMounts: [{ name: "data", mountPath: folder }] },
    ],
    volumes,
  };
  await core.createNamespacedPod({
    namespace,
    body: { metadata: { name, labels: { server: name } }, spec },
  });
  await core.createNamespacedService({
    namespace,
    body: { metadata: { name }, spec: { selector: { server: name }, ports: [{ port }] } },
  });
  return until(async () => {
    const pod = await core.readNamespacedPod({ namespace, name });
    return isReady(pod) && (pod.status?.podIP ?? false);
  }, 120_000);
}

/** A release's values for these servers: addresses, and the data of the Secrets that docs/install.md lists. */
export interface OwnServers {
  readonly addresses: { readonly postgres: string; readonly redis: string; readonly minio: string };
  readonly objectsEndpoint: string;
  readonly secrets: Readonly<Record<"database" | "redis" | "objects", Readonly<Record<string, string>>>>;
}

/** A Postgres, a Redis and an object store that no chart of ours made, until the end of the file. */
export async function ownServers(): Promise<OwnServers> {
  await freshNamespace(namespace);
  const [postgres, redis, minio] = await Promise.all([start("postgres"), start("redis"), start("minio")]);
  // An operator's store has its buckets before the release comes.
  const making = `mc alias set own http://127.0.0.1:9000 operator ${PASSWORD} && mc mb ${buckets.map((name) => `own/${name}`).join(" ")}`;
  await exec("pod/minio", "minio", ["sh", "-c", `export MC_CONFIG_DIR=/tmp/mc; ${making}`], "", namespace);
  const database = (user: string) => `postgres://${user}@postgres.${namespace}:5432/drones`;
  const cache = (user: string) => `redis://${user}@redis.${namespace}:6379`;
  return {
    addresses: { postgres, redis, minio },
    objectsEndpoint: `http://minio.${namespace}:9000`,
    secrets: {
      database: {
        url: database(`operator:${PASSWORD}`),
        "direct-url": database(`operator:${PASSWORD}`),
        "tunnel-url": database(`fleet_tunnel:${PASSWORD}-tunnel`),
      },
      redis: { url: cache(`default:${PASSWORD}`), "edge-url": cache(`edge:${PASSWORD}-edge`) },
      objects: { "access-key": "operator", "secret-key": PASSWORD },
    },
  };
}

/** The store as users reach it, by a route of the operator's own. */
export const publishObjects = (host: string): Promise<unknown> =>
  createOfGatewayApi(namespace, "httproutes", "HTTPRoute", "objects", {
    parentRefs: [publicListener],
    hostnames: [host],
    rules: [
      {
        matches: buckets.map((name) => ({ path: { type: "PathPrefix", value: `/${name}` } })),
        backendRefs: [{ name: "minio", port: 9000 }],
      },
    ],
  });
