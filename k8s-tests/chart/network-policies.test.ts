import { hubAddress, type KubernetesObject, render } from "./helm";
import { workloads } from "./pods";
import { freeVariables } from "./values/variables";

interface Peer {
  readonly podSelector?: {
    readonly matchLabels?: Record<string, string>;
    readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
  };
  readonly namespaceSelector?: object;
  readonly ipBlock?: { readonly cidr: string };
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol: string; readonly port: number; readonly endPort?: number }[];
}
interface Policy {
  readonly podSelector: { readonly matchLabels: Record<string, string> };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

interface CiliumRule {
  readonly toPorts: readonly { readonly ports: readonly { readonly port: string }[] }[];
}
interface CiliumPolicy {
  readonly endpointSelector: { readonly matchLabels: Record<string, string> };
  readonly ingress?: readonly CiliumRule[];
  readonly egress?: readonly CiliumRule[];
}

const componentOf = (labels: Record<string, string> = {}): string =>
  labels["app.kubernetes.io/component"] ?? labels["app.kubernetes.io/name"] ?? "?";

/** A peer's components; `hub` for the hub's node, `pods` for every pod of the cluster, `anywhere` for any address. */
function namesOf({ podSelector, namespaceSelector, ipBlock }: Peer): readonly string[] {
  if (ipBlock) return [ipBlock.cidr === "10.1.2.3/32" ? "hub" : "anywhere"];
  if (namespaceSelector) return ["pods"];
  const listed = podSelector?.matchExpressions?.flatMap(({ values }) => values);
  return listed ?? [componentOf(podSelector?.matchLabels)];
}

const portsOf = ({ ports = [] }: Rule) =>
  ports.map(({ protocol, port, endPort }) =>
    [protocol === "TCP" ? "" : `${protocol} `, port, endPort ? `-${endPort}` : ""].join(""),
  );

const policiesOf = (objects: readonly KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === "NetworkPolicy")
    .map(({ spec }) => spec as unknown as Policy)
    .map((policy) => ({ of: componentOf(policy.podSelector.matchLabels), policy }));

/** `gateway → postgres 5432` for every connection that the policies of this side admit. */
function arrows(objects: readonly KubernetesObject[], side: "ingress" | "egress"): string[] {
  const all = policiesOf(objects).flatMap(({ of, policy }) =>
    (policy[side] ?? []).flatMap((rule) => {
      const peers = (side === "ingress" ? rule.from : rule.to)?.flatMap(namesOf) ?? ["anywhere"];
      return peers.flatMap((peer) =>
        portsOf(rule).map((port) =>
          side === "ingress" ? `${peer} → ${of} ${port}` : `${of} → ${peer} ${port}`,
        ),
      );
    }),
  );
  return [...new Set(all)].toSorted();
}

const everything = {
  simulator: { copters: 1, rovers: 1 },
  tunnel: { enabled: true, endpointHost: "vpn.example.com" },
  worker: { enabled: true },
  janus: { enabled: true, image: "registry.example.com/janus:1.1.2", rtpPorts: "20000-20010" },
  mail: { url: "smtp://fleet:secret@[2001:db8::25]:2500" },
  ...hubAddress,
};
let objects: KubernetesObject[];
beforeAll(async () => {
  objects = await render(everything);
});

test("the policies admit exactly these connections", () => {
  expect(arrows(objects, "ingress")).toEqual(
    [
      ...["pods → gateway 8080", "pods → relay 7070", "pods → worker 9090"],
      ...["test → gateway 8080", "test → relay 7070", "test → worker 9090"],
      ...["test → simulator 5760", "test → janus 8088"],
      ...["gateway → gateway 8082", "hub → gateway 8081"],
      ...["gateway", "relay", "worker", "setup", "hub"].map((who) => `${who} → postgres 5432`),
      ...["gateway", "relay", "worker", "hub"].map((who) => `${who} → redis 6379`),
      ...["gateway", "worker", "setup", "hub"].map((who) => `${who} → minio 9000`),
      ...["gateway → simulator 5760-5761", "hub → simulator 5760-5761"],
      ...["gateway → janus 8088", "anywhere → janus UDP 20000-20010"],
    ].toSorted(),
  );
});

test("a client that may read metrics reaches a worker, and a client of the public ports does not", async () => {
  const from = (cidr: string) => [{ ipBlock: { cidr } }];
  const networkPolicy = { publicFrom: from("192.0.2.1/32"), metricsFrom: from("192.0.2.2/32") };
  const into = (cidr: string) =>
    policiesOf(rendered).flatMap(({ of, policy }) =>
      (policy.ingress ?? [])
        .filter(({ from }) => from?.some(({ ipBlock }) => ipBlock?.cidr === cidr))
        .flatMap((rule) => portsOf(rule).map((port) => `${of} ${port}`)),
    );
  const rendered = await render({ worker: { enabled: true }, networkPolicy });
  expect(into("192.0.2.1/32")).toEqual(expect.arrayContaining(["gateway 8080", "relay 7070"]));
  expect(into("192.0.2.1/32")).not.toContain("worker 9090");
  expect(into("192.0.2.2/32")).toContain("worker 9090");
});

test("each connection is admitted by the policies of both ends", () => {
  const governed = new Set(policiesOf(objects).map(({ of }) => of));
  const within = (list: string[]) =>
    list.filter((arrow) =>
      arrow
        .split(/ → | /)
        .slice(0, 2)
        .every((end) => governed.has(end)),
    );
  expect(within(arrows(objects, "egress"))).toEqual(within(arrows(objects, "ingress")));
});

test("the release's pods reach only mail, DNS, the API server, the hub and media outside of it", () => {
  const out = arrows(objects, "egress").filter((arrow) => /→ (anywhere|pods|hub) /.test(arrow));
  const governed = policiesOf(objects).map(({ of }) => of);
  const withDns = governed.filter((of) => out.includes(`${of} → anywhere UDP 53`));
  expect(withDns.toSorted()).toEqual(["gateway", "relay", "setup", "test", "worker"]);
  expect(out.filter((arrow) => !/ (UDP )?53$/.test(arrow))).toEqual(
    [
      ...["gateway → anywhere 2500", "worker → anywhere 2500"],
      ...["secrets → anywhere 443", "secrets → anywhere 6443"],
      ...["gateway → hub 5050", "gateway → hub 5051", "test → hub 5050", "janus → anywhere UDP 1-65535"],
    ].toSorted(),
  );
});

const external = {
  ...{ postgres: { enabled: false }, redis: { enabled: false }, minio: { enabled: false } },
  worker: { enabled: true },
  external: {
    database: {
      existingSecret: "d",
      directUrl: true,
      port: 6432,
      directPort: 5433,
      cidrs: ["2001:db8::/64"],
    },
    redis: { existingSecret: "r", port: 6380 },
    objects: { endpoint: "http://objects.example.com:9000", existingSecret: "o" },
  },
};

test("servers elsewhere are reached on their own ports, at the addresses that are given or anywhere, by IPv6 as well", async () => {
  const out = arrows(await render(external), "egress").filter((arrow) => /^worker → anywhere \d/.test(arrow));
  expect(out).toEqual([53, 5433, 6380, 6432, 9000].map((port) => `worker → anywhere ${port}`));
  const blocks = policiesOf(await render(external)).flatMap(({ policy }) =>
    (policy.egress ?? []).flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? [])),
  );
  expect(new Set(blocks)).toEqual(new Set(["2001:db8::/64"]));
});

test("a pod with a cloud role reaches the cloud's STS, whatever the store's addresses are", async () => {
  const byRole = { ...external, objects: { bucket: "example-fleet", vpnBucket: "example-fleet-vpn" } };
  /** The pods that may reach port 443 of any address. */
  const ends = async (store: object) => {
    const rendered = await render({ ...byRole, external: { ...external.external, objects: store } });
    const isOpen = (rule: Rule) => rule.to === undefined && portsOf(rule).includes("443");
    return policiesOf(rendered).flatMap(({ of, policy }) => (policy.egress?.some(isOpen) ? [of] : []));
  };
  const cidrs = ["10.0.16.0/20"];
  expect(await ends({ cidrs })).toEqual(["gateway", "worker", "setup", "secrets"]);
  expect(await ends({ cidrs, existingSecret: "o" })).toEqual(["secrets"]);
});

test.each([
  ["the URL's", { url: "smtps://mail.example.com" }, [465]],
  [
    "the URL's, behind a password that has a colon",
    { url: "smtp://me:a%3Ab@mail.example.com:26/?pool=true" },
    [26],
  ],
  ["those that are given beside a Secret", { existingSecret: "mail", ports: [2587] }, [2587]],
  ["none, without a server", {}, []],
])("ports of the mail server are %s", async (_what, mail, ports) => {
  const out = arrows(await render({ mail }), "egress");
  expect(out.filter((arrow) => /^gateway → anywhere \d/.test(arrow))).toEqual(
    [...ports, 53].map((port) => `gateway → anywhere ${port}`).toSorted(),
  );
});

test("the STS of drones' credentials is reached on its own port", async () => {
  const cloudCredentials = { stsEndpoint: "http://sts.example.com:9443" };
  const out = arrows(await render({ cloudCredentials }), "egress");
  expect(out).toContain("gateway → anywhere 9443");
});

test("the host of a URL in an extra variable is reached on its port, and a plain name adds nothing", async () => {
  const urls = Object.entries(freeVariables("gateway")).filter(
    ([, schema]) => "$ref" in schema && schema.$ref === "#/definitions/url",
  );
  expect(urls.map(([name]) => name)).toEqual(expect.arrayContaining(["STRIPE_API_BASE", "EC2_ENDPOINT"]));
  for (const [name] of urls) {
    const env = { [name]: "http://api.example.com:8443/v1", NODE_OPTIONS: "--title=http://fleet:9999" };
    const out = arrows(await render({ gateway: { env } }), "egress");
    expect(out.filter((arrow) => /^gateway → anywhere \d/.test(arrow))).toEqual(
      ["53", "8443"].map((port) => `gateway → anywhere ${port}`),
    );
  }
});

test("the Kubernetes API is reached on the port that the cluster has it at, by a gateway that starts vehicles there", async () => {
  const networkPolicy = { apiServerPorts: [443, 16_443] };
  const out = arrows(await render({ simulation: { provider: "kubernetes" }, networkPolicy }), "egress");
  expect(out).toContain("gateway → anywhere 16443");
  const plain = arrows(await render({ networkPolicy }), "egress");
  expect(plain).not.toContain("gateway → anywhere 16443");
  expect(plain.filter((arrow) => arrow.startsWith("secrets "))).toEqual([
    "secrets → anywhere 16443",
    "secrets → anywhere 443",
  ]);
});

test("every pod without host network has a policy in both directions", () => {
  const held = new Map(policiesOf(objects).map(({ of, policy }) => [of, policy.policyTypes]));
  const pods = workloads(objects).filter(({ pod }) => !pod.hostNetwork);
  expect(pods.length).toBeGreaterThan(8);
  for (const { labels } of pods) {
    const name = componentOf(labels);
    expect([name, held.get(name)]).toEqual([name, ["Ingress", "Egress"]]);
  }
});

test("the Cilium policies of the hub admit the same connections", async () => {
  const withCilium = await render({
    ...everything,
    networkPolicy: { ...everything.networkPolicy, cilium: true },
  });
  const policies = withCilium.filter(({ kind }) => kind === "CiliumNetworkPolicy");
  const cilium = policies.flatMap(({ spec }) => {
    const { endpointSelector, ingress = [], egress = [] } = spec as unknown as CiliumPolicy;
    const of = componentOf(endpointSelector.matchLabels);
    const ports = ({ toPorts }: CiliumRule) => toPorts.flatMap(({ ports }) => ports.map(({ port }) => port));
    return [
      ...ingress.flatMap((rule) => ports(rule).map((port) => `hub → ${of} ${port}`)),
      ...egress.flatMap((rule) => ports(rule).map((port) => `${of} → hub ${port}`)),
    ];
  });
  const plain = [...arrows(withCilium, "ingress"), ...arrows(withCilium, "egress")].filter((arrow) =>
    arrow.split(" ").includes("hub"),
  );
  const vehicles = ["hub → simulator 5760", "hub → simulator 5761"];
  const wanted = plain.flatMap((arrow) => (arrow === "hub → simulator 5760-5761" ? vehicles : [arrow]));
  expect(cilium.toSorted()).toEqual(wanted.toSorted());
  const entities = policies.flatMap(
    ({ spec }) => JSON.stringify(spec).match(/"(?:from|to)Entities":\[[^\]]*\]/g) ?? [],
  );
  expect(new Set(entities.map((text) => text.replace(/^.*:/, "")))).toEqual(
    new Set(['["host","remote-node"]']),
  );
});
