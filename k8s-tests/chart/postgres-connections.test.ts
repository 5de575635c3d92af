import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { gatewayConfig, workerConfig } from "../../src/platform/config";
import { packageRoot } from "../../src/platform/process/version";
import { hubAddress, render } from "./helm";
import { workloads } from "./pods";
import { chartFolder } from "./values/values-schema";

interface Scaling {
  readonly scaleTargetRef: { readonly name: string };
  readonly maxReplicas: number;
}

/** Connections of one process at most: its pool, and those that listen, do jobs or hold a lock (docs/operation/scaling.md). */
const each = {
  gateway: gatewayConfig.shape.DATABASE_POOL_MAX.parse(undefined) + 1 + 5,
  relay: 10 + 1,
  worker: workerConfig.shape.DATABASE_POOL_MAX.parse(undefined) + 5,
  tunnel: 2 + 1 + 1,
};
/** Reserved by Postgres for its superuser; no process of ours is one. */
const RESERVED = 3;

test("the bundled Postgres has connections for every pod at its highest scale, and for one more of each during an upgrade", async () => {
  const scaled = { autoscaling: { enabled: true } };
  const objects = await render({ gateway: scaled, relay: scaled, worker: { enabled: true } });
  const most = (component: string) => {
    const scaling = objects
      .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
      .map(({ spec }) => spec as unknown as Scaling)
      .find(({ scaleTargetRef }) => scaleTargetRef.name === `fleet-${component}`);
    return scaling?.maxReplicas ?? 1;
  };
  expect([most("gateway"), most("relay")]).toEqual([6, 8]);
  const wanted = Object.entries(each).reduce((sum, [name, one]) => sum + (most(name) + 1) * one, 0);

  const [postgres] = workloads(objects).filter(({ object }) => object.metadata.name === "fleet-postgres");
  const args = postgres?.pod.containers[0]?.args?.join(" ") ?? "";
  const taken = Number(/^postgres -c max_connections=(\d+)$/.exec(args)?.[1]);
  expect(taken - RESERVED).toBeGreaterThanOrEqual(wanted);
});

const sizes = [
  ...readFileSync(join(packageRoot, "docs/operation/scaling.md"), "utf8").matchAll(
    /^\| [\d,]+ \| `(size-\d+)\.yaml` \| [\d,]+ \| (\d+) \|.* (\d+) \|$/gm,
  ),
].map(([, example = "", gateways, connections]) => ({
  example,
  gateways: Number(gateways),
  connections: Number(connections),
}));

test("the page has a row for each size that has values", () => {
  expect(sizes.map(({ example }) => example)).toEqual(["size-10", "size-100", "size-1000", "size-10000"]);
});

test.each(sizes)(
  "the values of $example run $gateways gateways and take $connections connections",
  async ({ example, gateways, connections }) => {
    const tunnel = { enabled: true, endpointHost: "vpn.example.com" };
    // After the example of an installation that stays.
    const size = parse(readFileSync(join(chartFolder, "examples", `${example}.yaml`), "utf8"));
    const objects = await render({ ...hubAddress, tunnel, ...size }, "production");
    expect(objects.filter(({ kind }) => kind === "HorizontalPodAutoscaler")).toEqual([]);
    const replicas = (component: string) =>
      Number(
        objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === `fleet-${component}`)
          ?.spec?.replicas ?? 0,
      );
    expect(replicas("gateway")).toBe(gateways);
    const workers = replicas("worker");
    // Gateways beside workers do no jobs.
    const gateway = each.gateway - (workers > 0 ? 5 : 0);
    const all = gateways * gateway + replicas("relay") * each.relay + workers * each.worker + each.tunnel;
    expect(all).toBe(connections);
  },
);
