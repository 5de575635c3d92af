import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { packageRoot } from "../../src/platform/process/version";
import { examples, hubAddress, render } from "./helm";
import { type Toleration, workloads } from "./pods";

/** Pages of docs/ that lead to an example and have nodes tainted for it: the example, the taint's key and effect. */
const tainted = readdirSync(join(packageRoot, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => {
    const text = readFileSync(join(packageRoot, "docs", name), "utf8");
    const named = examples.filter((example) => text.includes(`examples/${example}.yaml`));
    const taints = [...text.matchAll(/taint (?:node NODE )?`?([\w.-]+\/[\w.-]+)(?:=\w*)?(?::(\w+))?/g)];
    return taints.flatMap(([, key = "", effect = "NoSchedule"]) =>
      named.map((example) => ({ name, example, key, effect })),
    );
  });

/** As Kubernetes has it: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
const isTolerated = (tolerations: readonly Toleration[], key: string, effect: string) =>
  tolerations.some(
    (one) =>
      one.operator === "Exists" &&
      (one.key === undefined || one.key === key) &&
      (one.effect === undefined || one.effect === effect),
  );

test("the docs name the taint of the hub's node", () => {
  expect(tainted.map(({ name, example }) => `${name} ${example}`)).toContain("operation/aws.md aws");
});

test.each(tainted)(
  "with the example $example the hub's pods tolerate $key, which $name puts on their node",
  async ({ example, key, effect }) => {
    const ofHub = workloads(await render({ tunnel: { lease: { enabled: true } } }, example)).filter(
      ({ pod }) => pod.hostNetwork,
    );
    const components = ofHub.map(({ labels }) => labels["app.kubernetes.io/component"]);
    expect(components.toSorted()).toEqual(["active-hub", "teardown", "tunnel", "wireguard-go"]);
    const refused = ofHub.filter(({ pod }) => !isTolerated(pod.tolerations ?? [], key, effect));
    expect(refused.map(({ object }) => object.metadata.name)).toEqual([]);
  },
);

test("the Jobs of a release and its test have the given node selector and tolerations", async () => {
  const nodeSelector = { pool: "jobs" };
  const tolerations = [{ key: "jobs", operator: "Exists", effect: "NoSchedule" }];
  const pods = workloads(await render({ setup: { nodeSelector, tolerations } }));
  const placed = pods.filter(({ pod }) =>
    isDeepStrictEqual([pod.nodeSelector, pod.tolerations], [nodeSelector, tolerations]),
  );
  const components = placed.map(({ labels }) => labels["app.kubernetes.io/component"]);
  expect(components.toSorted()).toEqual(["secrets", "setup", "test"]);
});

test("a cluster-wide object has a name that no other release has", async () => {
  const hub = { tunnel: { enabled: true, endpointHost: "vpn.example.com" }, ...hubAddress };
  const classOf = async (namespace: string, release: string) => {
    const objects = await render(hub, undefined, {}, { namespace, release });
    return objects.find(({ kind }) => kind === "PriorityClass")?.metadata.name;
  };
  const names = await Promise.all([classOf("team-a", "fleet"), classOf("team", "a-fleet")]);
  expect(names[0]).toMatch(/team-a.*fleet/);
  expect(names[1]).not.toBe(names[0]);
});
