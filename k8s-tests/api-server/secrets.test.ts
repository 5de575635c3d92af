import { KubernetesObjectApi, PatchStrategy } from "@kubernetes/client-node";
import { type KubernetesObject, render } from "../chart/helm";
import { chartFolder as chart } from "../chart/values/values-schema";
import { apiServer } from "./config";
import { helmIn, withKeysInManifests } from "./helm-in";
import { secretsIn } from "./secrets-in";

/**
 * Keys that are made in the cluster, and the Jobs, in every change of a release. There is no node:
 * the Job's program is run by hand, as its account.
 */
const namespace = `fleet-secrets-${process.pid}`;
const { core, secrets, jobs, make, madeIn } = secretsIn(namespace);
const helm = helmIn(namespace);

beforeAll(async () => {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});

/** As docs/operation/key-rotation.md has it. */
const rotate = (name: string, key: string, value: string) =>
  core.patchNamespacedSecret({
    ...{ name, namespace },
    body: [{ op: "replace", path: `/data/${key}`, value: Buffer.from(value).toString("base64") }],
  });
const namesOf = async (component: string, release = "fleet") =>
  (await jobs(release, component)).map(({ metadata }) => metadata?.name ?? "");

test("keys are made once; a rotated one outlives the next upgrade, and a rollback to before the rotation", async () => {
  await helm(["install", "fleet", chart]);
  expect(await secrets()).toEqual({});
  await madeIn("fleet");
  const first = await secrets();
  expect(Object.values(first).flatMap((data) => Object.values(data))).not.toContain("");
  expect(first["fleet-keys"]?.JWT_SECRET).toMatch(/^[\w-]{40}$/);
  await rotate("fleet-keys", "JWT_SECRET", "the key that is not leaked");
  await rotate("fleet-database", "password", "the-password-that-is-not-leaked");
  const rotated = await secrets();
  for (const command of [
    ["upgrade", "fleet", chart],
    ["rollback", "fleet", "1"],
    ["rollback", "fleet", "2"],
  ]) {
    await helm(command, { logLevel: "debug" });
    expect(await secrets()).toEqual(rotated);
    await madeIn("fleet");
    expect(await secrets()).toEqual(rotated);
  }
  expect(rotated["fleet-keys"]?.JWT_SECRET).toBe("the key that is not leaked");
  expect({ ...rotated["fleet-keys"], JWT_SECRET: first["fleet-keys"]?.JWT_SECRET }).toEqual(
    first["fleet-keys"],
  );
});

test("no revision of the release holds a key", async () => {
  const values = Object.values(await secrets()).flatMap((data) => Object.values(data));
  expect(values.length).toBeGreaterThan(10);
  for (const revision of ["1", "2", "3"]) {
    const said = await helm(["get", "all", "fleet", "--revision", revision]);
    expect(said).toContain("kind: Deployment");
    expect(values.filter((value) => said.includes(value))).toEqual([]);
  }
});

test("a new key of a release is added to existing Secrets, and a deleted key is made again", async () => {
  const before = await secrets();
  await core.patchNamespacedSecret({
    ...{ name: "fleet-keys", namespace },
    body: [{ op: "remove", path: "/data/GATEWAY_PEER_SECRET" }],
  });
  const said = await make("fleet");
  expect(said).toContain("fleet-keys: made GATEWAY_PEER_SECRET\n");
  expect(said).toContain("fleet-database: nothing is missing\n");
  const { GATEWAY_PEER_SECRET, ...others } = (await secrets())["fleet-keys"] ?? {};
  expect(GATEWAY_PEER_SECRET).toMatch(/^[\w-]{40}$/);
  const { GATEWAY_PEER_SECRET: gone, ...same } = before["fleet-keys"] ?? {};
  expect(others).toEqual(same);
  expect(GATEWAY_PEER_SECRET).not.toBe(gone);
});

test("concurrent Jobs that make the same Secrets agree on each key", async () => {
  await core.deleteNamespacedSecret({ name: "fleet-redis", namespace });
  await core.patchNamespacedSecret({
    ...{ name: "fleet-keys", namespace },
    body: ["JWT_SECRET", "EDGE_SECRET"].map((key) => ({ op: "remove", path: `/data/${key}` })),
  });
  const said = (await Promise.all([1, 2, 3, 4].map(() => make("fleet")))).join("");
  for (const line of [
    "fleet-redis: made edge-password, password",
    "fleet-keys: made EDGE_SECRET, JWT_SECRET",
  ]) {
    expect(said.split(line)).toHaveLength(2);
  }
}, 60_000);

test("a Secret that the account may not change is reported with the server's message, and the keys before it are made", async () => {
  await expect(
    make("fleet", '{"fleet-keys": {"JWT_SECRET": "password"}, "another": {"a": "password"}}'),
  ).rejects.toMatchObject({
    stdout: "fleet-keys: nothing is missing\n",
    stderr: expect.stringMatching(/refuses the Secret another \(403\).*cannot get resource/),
  });
});

test("an upgrade of a release whose manifests had the keys loses none, and a rollback then keeps what was rotated", async () => {
  await helm(["install", "earlier", withKeysInManifests()]);
  const ofEarlier = async () =>
    Object.fromEntries(Object.entries(await secrets()).filter(([name]) => name.startsWith("earlier-")));
  const before = await ofEarlier();
  expect(Object.keys(before).toSorted()).toEqual(
    ["database", "keys", "objects", "redis"].map((name) => `earlier-${name}`),
  );
  await helm(["upgrade", "earlier", chart]);
  await madeIn("earlier");
  expect(await ofEarlier()).toEqual(before);
  await rotate("earlier-keys", "JWT_SECRET", "another");
  await helm(["upgrade", "earlier", chart], { logLevel: "debug" });
  await helm(["rollback", "earlier", "2"]);
  await madeIn("earlier");
  const after = await ofEarlier();
  expect(after["earlier-keys"]).toEqual({ ...before["earlier-keys"], JWT_SECRET: "another" });
  await helm(["uninstall", "earlier"]);
  expect(await ofEarlier()).toEqual(after);
});

test("each upgrade and each rollback creates its own Jobs, and deletes the previous ones", async () => {
  const seen = new Set<string>();
  for (const command of [
    ["upgrade", "fleet", chart],
    ["upgrade", "fleet", chart],
    ["rollback", "fleet"],
  ]) {
    const before = await namesOf("setup");
    await helm(command);
    const [name = "", ...others] = await namesOf("setup");
    expect(others).toEqual([]);
    expect(before).not.toContain(name);
    expect(await namesOf("secrets")).toHaveLength(1);
    seen.add(name);
  }
  // The rollback's is that of the revision which it went back to.
  expect(seen.size).toBe(2);
});

test("a tool that renders without the cluster and applies keeps every key, and gets a Job for each change", async () => {
  const config = apiServer();
  const objects = KubernetesObjectApi.makeApiClient(config);
  await helm(["uninstall", "fleet"]);
  const apply = async (values: object) => {
    // Rendered for another namespace, which a binding names in its middle too.
    const text = JSON.stringify(await render(values)).replaceAll('"drones"', JSON.stringify(namespace));
    for (const object of JSON.parse(text) as KubernetesObject[]) {
      if (object.metadata.annotations?.["helm.sh/hook"]) continue;
      const body = { ...object, metadata: { ...object.metadata, namespace } };
      await objects.patch(body, undefined, undefined, "a-tool", true, PatchStrategy.ServerSideApply);
    }
  };
  const before = await secrets();
  await apply({});
  await madeIn("fleet");
  expect(await secrets()).toEqual(before);
  const [first] = await namesOf("setup");
  await apply({});
  expect(await namesOf("setup")).toEqual([first]);
  await apply({ objects: { bucket: "another" } });
  const names = await namesOf("setup");
  expect(names).toContain(first);
  expect(names).toHaveLength(2);
  expect(await secrets()).toEqual(before);
});
