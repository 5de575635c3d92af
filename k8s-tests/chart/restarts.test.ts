import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { hubAddress, type KubernetesObject, render } from "./helm";
import { type PodSpec, workloads } from "./pods";

/** A pod reads a Secret or a ConfigMap only when it starts. */
const everything = {
  tunnel: { enabled: true, endpointHost: "vpn.example.com" },
  worker: { enabled: true },
  janus: { enabled: true, image: "registry.example.com/janus:1.1.2", rtpPorts: "20000-20010" },
  mail: { url: "smtp://mail.example.com:587" },
  ingress: { enabled: true, objectsHost: "objects.example.com" },
  ...hubAddress,
};
let before: KubernetesObject[];
beforeAll(async () => {
  before = await render(everything);
});

const isHook = ({ metadata }: KubernetesObject) => metadata.annotations?.["helm.sh/hook"] !== undefined;
const templateOf = ({ spec }: KubernetesObject) =>
  (spec as { template: { metadata: { annotations?: Record<string, string> }; spec: PodSpec } }).template;
/** Component → the template of its pods. */
const templates = (objects: readonly KubernetesObject[]) =>
  new Map(
    workloads(objects)
      .filter(({ object }) => !isHook(object))
      .map(({ object, labels }) => [
        labels["app.kubernetes.io/component"] ?? labels["app.kubernetes.io/name"] ?? "",
        templateOf(object),
      ]),
  );

test.each([
  ["another mail server", { mail: { url: "smtp://mail.example.com:25" } }, ["gateway", "worker"]],
  [
    "another host of the store's Ingress",
    { ingress: { enabled: true, objectsHost: "files.example.com" } },
    [],
  ],
  ["annotations of the Ingress", { ingress: { enabled: true, annotations: { a: "b" } } }, []],
  ["other alerts", { monitoring: { rules: true, dashboard: true } }, []],
  ["ports of the NetworkPolicies", { mail: { ...everything.mail, ports: [2525] } }, []],
  ["another scratch volume", { worker: { enabled: true, scratchSize: "5Gi" } }, ["worker"]],
])("a change of %s restarts the pods that read it, and no others", async (_what, values, expected) => {
  const after = templates(await render({ ...everything, ...values }));
  const changed = [...templates(before)].filter(
    ([component, template]) => !isDeepStrictEqual(template, after.get(component)),
  );
  expect(changed.map(([component]) => component).toSorted()).toEqual(expected);
});

/** JSON as helm writes it: keys in order, HTML characters escaped. */
const helmJson = (data: Record<string, string>) =>
  JSON.stringify(
    Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  ).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

test("every pod that mounts a ConfigMap carries its checksum", () => {
  const files = before.filter((object) => object.kind === "ConfigMap" && !isHook(object));
  const sums = new Map(
    files.map(({ metadata, data }) => [
      metadata.name,
      createHash("sha256")
        .update(helmJson(data as Record<string, string>))
        .digest("hex"),
    ]),
  );
  const mounted = [...templates(before)].flatMap(([component, { metadata, spec }]) =>
    (spec.volumes ?? []).flatMap(({ configMap }) =>
      configMap ? [[component, metadata.annotations?.["checksum/files"], sums.get(configMap.name)]] : [],
    ),
  );
  expect(mounted.map(([component]) => component).toSorted()).toEqual(["janus", "redis", "setup"]);
  for (const [component, said, is] of mounted) expect([component, said]).toEqual([component, is]);
});

test("a Job's name depends on what it does", async () => {
  const namesOf = (objects: readonly KubernetesObject[]) =>
    objects.filter((object) => object.kind === "Job" && !isHook(object)).map(({ metadata }) => metadata.name);
  const names = namesOf(before);
  expect(names).toEqual([
    expect.stringMatching(/^fleet-secrets-[0-9a-f]{8}-1$/),
    expect.stringMatching(/^fleet-setup-[0-9a-f]{8}-1$/),
  ]);
  expect(namesOf(await render({ ...everything, drainSeconds: 30 }))).toEqual(names);
  const [secrets, setup] = names;
  const after = async (values: object) => namesOf(await render({ ...everything, ...values }));
  const bucket = await after({ objects: { bucket: "another" } });
  expect([bucket[0] === secrets, bucket[1] === setup]).toEqual([true, false]);
  const hub = await after({ tunnel: { ...everything.tunnel, existingSecret: "mine" } });
  expect([hub[0] === secrets, hub[1] === setup]).toEqual([false, true]);
  const image = await after({ image: { tag: "another" } });
  expect([image[0] === secrets, image[1] === setup]).toEqual([false, false]);
});
