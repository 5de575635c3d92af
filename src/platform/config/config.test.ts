import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { packageRoot } from "../process/version";
import {
  configSchemas,
  configurationDocs,
  createBucketsConfig,
  effectiveConfig,
  gatewayConfig,
  loadConfig,
  simulatorConfig,
  workerConfig,
} from ".";

const whole = {
  DATABASE_URL: "postgres://fleet:pg-password@localhost/fleet",
  REDIS_URL: "redis://localhost",
  SMTP_URL: "smtp://localhost",
  JWT_SECRET: "0123456789abcdef0123456789abcdef",
};

test("docs/configuration.md is what the schemas say; `npm run docs` writes it", () => {
  expect(readFileSync(join(packageRoot, "docs/configuration.md"), "utf8")).toBe(configurationDocs());
});

test("every variable of every process is described", () => {
  const rows = configurationDocs()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) expect(row.split("|")[4]?.trim()).toMatch(/^[\w`].{10,}/);
});

test("every variable accepts the default that the documentation shows", () => {
  const fields = new Map<string, z.ZodType>(
    Object.values(configSchemas).flatMap(({ shape }) => Object.entries(shape as Record<string, z.ZodType>)),
  );
  const shown = [...configurationDocs().matchAll(/^\| `(\w+)` \| [^|]+ \| `([^`]+)` \|/gm)];
  expect(shown.length).toBeGreaterThan(40);
  const refused = shown.filter(([, name = "", value]) => !fields.get(name)?.safeParse(value).success);
  expect(refused.map(([row]) => row)).toEqual([]);
});

test("all faults are reported at once, by name and without a value", () => {
  const env = {
    ...whole,
    JWT_SECRET: "too-short-secret",
    GATEWAY_PORT: "70000",
    LOG_LEVEL: "loud",
    REDIS_URL: "",
  };
  const message = faultsOf(env);
  for (const name of ["JWT_SECRET", "GATEWAY_PORT", "LOG_LEVEL", "REDIS_URL"])
    expect(message).toContain(name);
  for (const value of ["too-short-secret", "70000", "loud"]) expect(message).not.toContain(value);
});

test("a flag accepts only true and false", () => {
  expect(loadConfig(gatewayConfig, { ...whole, ENABLE_REGISTRATION: "false" }).ENABLE_REGISTRATION).toBe(
    false,
  );
  expect(faultsOf({ ...whole, ENABLE_REGISTRATION: "no" })).toContain("ENABLE_REGISTRATION");
});

test("a duration beyond the longest Node.js timer, which would fire at once, is refused", () => {
  const times = Object.entries(configSchemas).flatMap(([process, { shape }]) =>
    Object.entries(shape as Record<string, z.ZodType>)
      .filter(([name]) => /_(SECONDS|MS)$/.test(name))
      .map(([name, field]) => ({
        of: `${process} ${name}`,
        field,
        most: name.endsWith("_MS") ? 2 ** 31 - 1 : 2_147_483,
      })),
  );
  expect(times.length).toBeGreaterThan(10);
  expect(
    times.filter(({ field, most }) => field.safeParse(`${most + 1}`).success).map(({ of }) => of),
  ).toEqual([]);
  const faults = faultsOf({
    ...whole,
    SHUTDOWN_DRAIN_SECONDS: "9999999",
    LINK_CONNECT_TIMEOUT_MS: "2147483648",
  });
  for (const name of ["SHUTDOWN_DRAIN_SECONDS", "LINK_CONNECT_TIMEOUT_MS"]) expect(faults).toContain(name);
  const longest = { ...whole, SHUTDOWN_DRAIN_SECONDS: "2147483", LINK_CONNECT_TIMEOUT_MS: "2147483647" };
  expect(loadConfig(gatewayConfig, longest)).toMatchObject({ SHUTDOWN_DRAIN_SECONDS: 2_147_483 });
});

test("CORS origins are normalised to the form that browsers send", () => {
  const given = "https://Fly.Example.com, https://fly.example.com:443/, http://a:8080, *, app://Client";
  expect(loadConfig(gatewayConfig, { ...whole, CORS_ORIGINS: given }).CORS_ORIGINS).toEqual([
    ...["https://fly.example.com", "https://fly.example.com", "http://a:8080", "*", "app://Client"],
  ]);
  expect(faultsOf({ ...whole, CORS_ORIGINS: "https://fly.example.com, https://" })).toContain("CORS_ORIGINS");
});

test("links begin with the public origin, with or without a trailing slash; a query or fragment in it is refused", () => {
  const originOf = (PUBLIC_ORIGIN: string) =>
    loadConfig(gatewayConfig, { ...whole, PUBLIC_ORIGIN }).PUBLIC_ORIGIN;
  expect(originOf("https://fly.example.com/")).toBe("https://fly.example.com");
  expect(originOf("https://example.com/fly//")).toBe("https://example.com/fly");
  for (const PUBLIC_ORIGIN of ["https://fly.example.com/?a=b", "https://fly.example.com#a"])
    expect(faultsOf({ ...whole, PUBLIC_ORIGIN })).toContain("PUBLIC_ORIGIN");
});

describe("a variable given as a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-config-"));
  const file = join(folder, "jwt");
  const { JWT_SECRET, ...rest } = whole;
  beforeAll(() => writeFileSync(file, `${JWT_SECRET}\n`));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is read and trimmed", () => {
    expect(loadConfig(gatewayConfig, { ...rest, JWT_SECRET_FILE: file }).JWT_SECRET).toBe(JWT_SECRET);
  });
  test("is a fault when it cannot be read, and when the variable is set as well", () => {
    expect(faultsOf({ ...rest, JWT_SECRET_FILE: join(folder, "none") })).toContain(
      "JWT_SECRET_FILE cannot be read",
    );
    expect(faultsOf({ ...whole, JWT_SECRET_FILE: file })).toContain("both JWT_SECRET and JWT_SECRET_FILE");
  });
});

test("our MAVLink system id can never be a ground station's 255", () => {
  expect(faultsOf({ ...whole, MAVLINK_SYSTEM_ID: "255" })).toContain("MAVLINK_SYSTEM_ID");
});

test("a replica's host is a name or an address of either family, and no URL", () => {
  for (const GATEWAY_PEER_HOST of ["gateway-0.gateway", "10.42.0.7", "fd00:10:42::7"])
    expect(loadConfig(gatewayConfig, { ...whole, GATEWAY_PEER_HOST })).toMatchObject({ GATEWAY_PEER_HOST });
  expect(faultsOf({ ...whole, GATEWAY_PEER_HOST: "http://10.42.0.7:8082" })).toContain("GATEWAY_PEER_HOST");
});

test("the effective configuration shows that a secret is set, never which", () => {
  const shown = new Map(effectiveConfig(gatewayConfig, loadConfig(gatewayConfig, whole)));
  expect(shown.get("GATEWAY_PORT")).toBe("8080");
  for (const name of ["JWT_SECRET", "DATABASE_URL", "SMTP_URL"]) expect(shown.get(name)).toBe("(set)");
  expect(shown.get("EDGE_SECRET")).toBe("");
});

test("a bucket's name is one that S3 accepts", () => {
  const faultsOf = (name: string) => {
    const given = createBucketsConfig.shape.S3_BUCKET.safeParse(name);
    return given.error?.issues.length ?? 0;
  };
  const wrong = ["Fleet", "fl", "a".repeat(64), "fleet_assets", "-fleet", "fleet/a"];
  expect(wrong.filter((name) => faultsOf(name) === 0)).toEqual([]);
  expect(["fleet", "fleet.assets-1", "a".repeat(63)].filter((name) => faultsOf(name) > 0)).toEqual([]);
  expect(() => loadConfig(createBucketsConfig, { S3_VPN_BUCKET: "Fleet" })).toThrow(/S3_VPN_BUCKET/);
});

test.each(["999,999,1", "90.1,0,0", "0,-180.5,0", "47,8"])("no vehicle starts from %s", (home) => {
  expect(() => loadConfig(simulatorConfig, { SIMULATOR_HOME: home })).toThrow(/SIMULATOR_HOME/);
});

test("a simulator needs nothing to be set", () => {
  expect(loadConfig(simulatorConfig, {})).toMatchObject({ SIMULATOR_COPTERS: 1, SIMULATOR_PORT: 5760 });
});

test.each([
  ["a gateway", gatewayConfig],
  ["a worker", workerConfig],
  ["what makes the buckets", createBucketsConfig],
])("%s that would keep clients' keys in the bucket of assets is refused", (_who, schema: z.ZodObject) => {
  expect(() => loadConfig(schema, whole)).not.toThrow();
  const fault = "S3_VPN_BUCKET: must be another bucket than S3_BUCKET";
  expect(faultsOf({ ...whole, S3_BUCKET: "fleet-vpn" }, schema)).toContain(fault);
  expect(faultsOf({ ...whole, S3_BUCKET: "one", S3_VPN_BUCKET: "one", LOG_LEVEL: "loud" }, schema)).toContain(
    fault,
  );
});

function faultsOf(env: Record<string, string>, schema: z.ZodObject = gatewayConfig): string {
  try {
    loadConfig(schema, env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the configuration was taken");
}
