import Ajv from "ajv";
import { parse } from "yaml";
import { template } from "../helm";
import { readText, readValues, type Schema, schemaTexts } from "./values-schema";

type Values = Record<string, unknown>;

/** `{a: {b: value}}` of `a.b`. */
const at = (path: string, value: unknown): Values =>
  path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value) as Values;

const sha = `sha256:${"a".repeat(64)}`;
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  "image.repository": [
    "",
    "registry.example.com/fleet:1",
    `fleet@${sha}`,
    "https://example.com/fleet",
    "Fleet",
  ],
  "workerImage.repository": [""],
  "postgres.image.repository": [""],
  "redis.image.tag": [""],
  "image.tag": ["a tag", 1.5],
  "image.digest": ["sha256:abc", "a".repeat(64), "latest"],
  "image.pullSecrets": [[""], ["My_Secret"]],
  "secrets.existingSecret": ["My Secret"],
  "gateway.resources": [
    { requests: { cpu: "lots" } },
    { limits: { memory: "-1Gi" } },
    { limits: { memory: "1GB" } },
    { limits: { cpu: -1 } },
    { request: { cpu: "1" } },
  ],
  "redis.resources": [{ limits: { memory: "much" } }],
  "worker.scratchSize": ["4 Gi", ""],
  "minio.persistence.size": ["", "50GiB", -1],
  "gateway.map.file": ["../region.pmtiles", "region.png"],
  "gateway.replicas": [-1, 1.5, "two"],
  "gateway.autoscaling.targetCpu": [0, -70],
  "gateway.nodeSelector": [{ disk: true }],
  "relay.tolerations": [[{ effect: "NoShedule" }], [{ keys: "a" }]],
  "relay.affinity": [{ nodeAfinity: {} }],
  "worker.replicas": [0],
  "worker.concurrency": [0],
  "gateway.env.LINK_CONNECT_TIMEOUT_MS": ["-5", "0", "", 2_147_483_648],
  "external.authorities.key": ["", "../ca.crt", "a key"],
  "gateway.env.STRIPE_API_BASE": [
    "stripe.example.com",
    "https://stripe.example.com:70000",
    "ftp://stripe.example.com",
  ],
  "gateway.env.BILLING_CURRENCY": ["Euro"],
  "serviceAccounts.annotations": [{ gatway: { role: "a" } }],
  drainSeconds: [0, -1, 2_147_484],
  publicOrigin: [
    "",
    "https://",
    "fly.example.com",
    "https://fly.example.com:70000",
    "https://192.0.2.256",
    "https://fly.example.com/?a=b",
  ],
  corsOrigins: [["https://fly.example.com/"], ["fly.example.com"], [""], ["http://localhost:65536"]],
  trustedProxies: [["10.0.0.0/33"], ["private"], [""]],
  "setup.onboardImage": ["an image"],
  "tunnel.endpointHost": ["https://vpn.example.com", "vpn.example.com:51823", "2001:db8::1", "a b"],
  "tunnel.dns": ["dns.example.com", "172.31.0.256", ""],
  "tunnel.nodes": [[""]],
  "tunnel.nodeSelector": [{ "fleet-gateway/tunnel": null }, null],
  "tunnel.usersMtu": [-1, 100],
  "tunnel.firewallExtraAllow": [
    ["10.0.0.0/8:80"],
    ["pilots>10.0.0.0/8"],
    ["10.0.0.0/64"],
    ["192.0.2.0/24:tcp/99999"],
    ["192.0.2.0/24:tcp/0"],
  ],
  "simulator.home": ["Zurich", "47.4,8.5", "999,999,1", "90.1,0,0", "0,-180.5,0", "47,8,123456"],
  "simulator.copters": [-1],
  "registry.url": ["https://registry.example.com", "registry.example.com:65536/fleet"],
  "registry.existingSecret": ["login"],
  "cloudCredentials.stsEndpoint": ["sts.example.com", "https://sts.example.com:65536"],
  "cloudCredentials.roleArn": ["role/fleet-drone"],
  "objects.bucket": [
    "",
    "Fleet",
    "fl",
    "a".repeat(64),
    "fleet_assets",
    "fleet..assets",
    "-fleet",
    "10.0.0.1",
  ],
  "objects.vpnBucket": ["", "fleet vpn"],
  "objects.region": [""],
  "objects.publicEndpoint": ["objects.example.com", "https://objects.example.com:99999"],
  "external.objects.endpoint": [
    "objects.example.com:9000",
    "http://objects.example.com:90000",
    "http://:9000",
  ],
  "external.database.port": [0, -1, 65_536, "5432"],
  "external.database.cidrs": [
    ["10.1.2.3"],
    ["10.1.2.3/33"],
    ["10.1.2/24"],
    ["10.1.2.256/32"],
    ["010.1.2.3/8"],
  ],
  "external.redis.cidrs": [
    ["2001:db8::/129"],
    ["2001:db8:::/32"],
    ["1:2:3:4:5:6:7:8:9/64"],
    ["db.example.com/32"],
  ],
  "mail.ports": [[], [65_536], [0]],
  "mail.url": [
    "smtp://mail.example.com:65536",
    "smtp://:25",
    "smtp://a b:25",
    "smtp://me:a#b@mail.example.com:25",
    "smtp://me:1#b@mail.example.com:25",
    "smtp://me:a/b@mail.example.com:25",
    "smtp://me:1?b@mail.example.com:25",
    "smtp://me:50%off@mail.example.com:25",
  ],
  "janus.publicAddress": ["media.example.com", "203.0.113"],
  "janus.url": ["janus:8088/janus", "http://janus:80880/janus", "http://"],
  "janus.rtpPorts": ["20000-65536", "0-100", "20000", "1-99999999999999999999"],
  "ingress.host": [
    "",
    "https://fly.example.com",
    "fly.example.com:443",
    "Fly.example.com",
    "fly.example.com/api",
  ],
  "ingress.objectsHost": ["objects.example.com/fleet"],
  "route.host": ["", "fly.example.com:443", "Fly.example.com"],
  "route.objectsHost": ["https://objects.example.com"],
  "route.parentRefs": [[{}], [{ nane: "public" }], [{ name: "public", port: "https" }]],
  "route.requestTimeout": ["5 minutes", 300, "1d"],
  "networkPolicy.publicFrom": [[{}], [{ namespaceSelectr: {} }], [{ ipBlock: { cidr: "10.0.0.0" } }]],
  "networkPolicy.apiServerPorts": [[65_536], ["https"]],
  "monitoring.runbookBase": [""],
};

const refusalOf = (values: Values): Promise<string> =>
  template(values).then(
    () => "it was taken",
    ({ stderr }) => stderr as string,
  );

/** The `number`th of every path's values. */
const round = (all: Readonly<Record<string, readonly unknown[]>>, number: number): Values =>
  Object.entries(all).reduce<Values>(
    (values, [path, its]) => (number < its.length ? merged(values, at(path, its[number])) : values),
    {},
  );
const roundsOf = (all: Readonly<Record<string, readonly unknown[]>>) =>
  Array.from({ length: Math.max(...Object.values(all).map((its) => its.length)) }, (_, number) => number);

/** The paths that helm's schemas refuse; those of a bundled server's chart begin with that chart's name. */
function refusedPaths(refusal: string): string[] {
  let chart = "";
  return refusal.split("\n").flatMap((line) => {
    chart = /^([\w-]+):$/.exec(line)?.[1] ?? chart;
    const path = /^ *- at '(.*?)': (?!validation failed)/.exec(line)?.[1];
    return path === undefined ? [] : [(chart === "fleet-gateway" ? "" : `/${chart}`) + path];
  });
}

describe.each(roundsOf(wrong))("wrong values, round %i", (number) => {
  // Helm reports all refusals of the schemas together; a template's refusal ends the rendering at once.
  let refused: string[];
  beforeAll(async () => {
    refused = refusedPaths(await refusalOf(round(wrong, number)));
  });

  test.each(
    Object.entries(wrong)
      .filter(([, values]) => number < values.length)
      .map(([path, values]) => [path, JSON.stringify(values[number]), values[number]]),
  )("%s is refused when it is %s", async (path, _text, value) => {
    const pointer = `/${(path as string).replaceAll(".", "/")}`;
    if (refused.some((one) => `${one}/`.startsWith(`${pointer}/`))) return;
    const [first = "", ...rest] = (path as string).split(".");
    // For a login without a registry the refusal names the missing registry. A bundled server's chart is named before the path.
    const named = new RegExp([first, ...(first === "registry" ? [] : rest.slice(0, 2))].join("[^]*"));
    const refusal = await refusalOf(at(path as string, value));
    expect(refusal).toMatch(named);
    expect(refusal).not.toMatch(/nil pointer|error converting YAML|panic/);
  });
});

const right: Readonly<Record<string, readonly unknown[]>> = {
  "image.repository": ["localhost:5000/a/b__c-d.e", "REGISTRY/fleet-gateway", "fleet"],
  "image.digest": [sha],
  "postgres.image.tag": [`17.6@${sha}`],
  "gateway.resources": [
    { limits: { cpu: 1.5, memory: "1e9" } },
    { requests: { cpu: "0.5", memory: ".5Gi" } },
  ],
  "worker.scratchSize": [1_000_000_000],
  "tunnel.endpointHost": ["192.0.2.1", "[2001:db8::1]", "VPN.example.com"],
  "tunnel.firewallExtraAllow": [
    ["10.128.0.0/9", "users>10.1.2.3:tcp/22", "192.0.2.0/24>10.0.0.0/8:udp/65535"],
  ],
  publicOrigin: ["http://[2001:db8::1]:8080", "https://Fly.Example.com./app", "http://fleet:65535"],
  "objects.bucket": ["fleet.assets-1", "a".repeat(63)],
  "mail.url": [
    "",
    "smtp://mail.example.com",
    "smtps://me@example.com:a%23b%2Fc:d@mail.example.com:465/?pool=true",
    "smtp://[2001:db8::25]:25",
  ],
  "simulator.home": ["-90,180,-430", "90.0,-179.99,8848.86"],
  trustedProxies: [["10.0.0.1", "10.0.0.0/8", "2001:db8::/32", "loopback"]],
  corsOrigins: [
    ["*", "http://localhost:3000", "capacitor://localhost", "http://[::1]:8080", "http://192.0.2.1"],
  ],
  "registry.url": ["ghcr.io/example", "localhost:5000", "0123.dkr.ecr.eu-west-1.amazonaws.com/a/b"],
  "external.redis.cidrs": [["0.0.0.0/0", "::/0", "::1/128", "2001:db8::/32", "fd00:1:2:3:4:5:6:7/128"]],
  "ingress.host": ["fleet.local", "*.example.com"],
  "route.parentRefs": [
    [{ name: "public" }, { group: "", kind: "Service", namespace: "gateways", name: "mesh", port: 80 }],
  ],
  "route.requestTimeout": ["", "0s", "1h30m10s500ms"],
  "networkPolicy.publicFrom": [
    [{ podSelector: {} }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
  ],
};

const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false }).compile(
  readValues().schema,
);
const defaults = (): Values => parse(readText("values.yaml"));

test.each(roundsOf(right))("right values are accepted, round %i", async (number) => {
  await expect(template(round(right, number))).resolves.toContain("kind: Deployment");
});

/** Every value and every map of values, by its dotted name. */
function pathsIn(values: Values, before = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    const inner = isMap ? pathsIn(value as Values, `${before}${key}.`) : [];
    return [before + key, ...inner];
  });
}

/** The values as helm reads them with a null: without that value. */
function without(path: string): Values {
  const values = defaults();
  const keys = path.split(".");
  const last = keys.pop() as string;
  const map = keys.reduce((inner, key) => inner[key] as Values, values);
  delete map[last];
  return values;
}

describe("a value that is null", () => {
  /** Maps that may be empty. */
  const { rows } = readValues();
  const isMap = (value: unknown) => typeof value === "object" && !Array.isArray(value);
  const maps = rows.filter((row) => isMap(row.default) && row.path !== "tunnel.nodeSelector");

  test("is refused by its name, except in a map with free keys", () => {
    expect(validate(defaults())).toBe(true);
    const inMaps = new RegExp(`^(${maps.map(({ path }) => path.replaceAll(".", "\\.")).join("|")})(\\.|$)`);
    const others = pathsIn(defaults()).filter(
      (path) => !inMaps.test(path) && !path.startsWith("tunnel.nodeSelector."),
    );
    expect(others.length).toBeGreaterThan(120);
    for (const path of others) {
      validate(without(path));
      const missing = (validate.errors ?? []).map(
        ({ instancePath, params }) => `${instancePath}/${params.missingProperty}`,
      );
      expect(missing).toContain(`/${path.replaceAll(".", "/")}`);
    }
  });

  test.each([
    ["gateway", "missing property 'gateway'"],
    ["gateway.autoscaling", "missing property 'autoscaling'"],
    ["external", "missing property 'external'"],
    ["postgres", "'/postgres': missing properties 'enabled'"],
    // Of a chart inside another helm keeps the null.
    ["postgres.enabled", "'/postgres/enabled': got null"],
    ["redis.image", "redis:\n- at '': missing property 'image'"],
    ["minio.image.tag", "minio:\n- at '/image': missing property 'tag'"],
    ["minio.persistence", "minio:\n- at '': missing property 'persistence'"],
  ])("is refused by helm too: %s", async (path, words) => {
    await expect(template(at(path, null))).rejects.toMatchObject({ stderr: expect.stringContaining(words) });
  });

  test("empties a map with free keys", async () => {
    const all = maps.reduce<Values>((values, { path }) => merged(values, at(path, null)), {});
    await expect(
      template(merged(all, { ingress: { enabled: true }, janus: { enabled: true, image: "janus:1" } })),
    ).resolves.toContain("kind: Ingress");
  });
});

function merged(a: Values, b: Values): Values {
  const both = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const there = both[key];
    both[key] =
      typeof there === "object" && there && typeof value === "object" && value
        ? merged(there as Values, value as Values)
        : value;
  }
  return both;
}

test("every definition of the schema belongs to a value, or is referenced", () => {
  const used = Object.values(schemaTexts()).flatMap((text) =>
    Object.keys((JSON.parse(text) as Schema).definitions ?? {}),
  );
  const all = Object.keys(JSON.parse(readText("schema-definitions.json")).definitions);
  expect(all.filter((name) => !used.includes(name))).toEqual([]);
});
