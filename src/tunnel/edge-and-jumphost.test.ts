import { readFileSync } from "node:fs";
import { join } from "node:path";
import WebSocket from "ws";
import { loadConfig, tunnelConfig } from "../platform/config";
import { packageRoot } from "../platform/process/version";
import { freshRedis, redisClient } from "../testing";
import { until } from "../testing/until";
import { type TunnelWorld, tunnelWorld } from "../testing/worlds/start-tunnel";
import { LeaseStore } from "../vehicle/cluster";
import { edgePorts } from "./edge-and-jumphost";
import type { Tunnel } from "./index";
import { SimulatedOs } from "./os/simulated-os";

const SECRET = "a bearer secret of enough length";

let world: TunnelWorld;
beforeAll(async () => {
  world = await tunnelWorld();
});

/** How the jumphost refuses. */
function refusal(
  url: string,
  host: string,
  secret?: string,
  more: Record<string, string> = {},
): Promise<{ status: number; reason: string }> {
  const headers = {
    ...more,
    "x-drone-ip": host,
    "x-drone-port": "5001",
    ...(secret ? { authorization: `Bearer ${secret}` } : {}),
  };
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on("open", () => reject(new Error("It was let in.")));
    socket.on("error", reject);
    socket.on("unexpected-response", async (_request, response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, reason: JSON.parse(text).reason });
    });
  });
}

/** Stopped after the test: a database has one hub. */
async function start(env: Record<string, string> = {}): Promise<Tunnel> {
  const tunnel = await world.start({ os: new SimulatedOs(), dataplane: "auto" }, env);
  started.push(tunnel);
  return tunnel;
}
const started: Tunnel[] = [];
afterEach(async () => {
  for (const { lifecycle } of started.splice(0)) await lifecycle.stop("the test is over");
});

test("the daemon's jumphost requires the bearer secret in the strict profile only", async () => {
  const open = await start();
  expect(await refusal(open.jumphostUrl, "127.0.0.1")).toEqual({ status: 403, reason: "not_allowed" });
  await open.lifecycle.stop("the strict daemon follows");
  const strict = await start({ ACCESS_PROFILE: "strict", TUNNEL_API_SECRET: SECRET });
  expect(await refusal(strict.jumphostUrl, "127.0.0.1")).toEqual({ status: 401, reason: "unauthenticated" });
  expect(await refusal(strict.jumphostUrl, "127.0.0.1", SECRET)).toMatchObject({ status: 403 });
});

test("a drone is dialled from the hub's address in the drones' plane, and not dialled without that address", async () => {
  const { jumphostUrl } = await start();
  expect(await refusal(jumphostUrl, "10.71.0.2")).toEqual({ status: 502, reason: "unreachable" });
});

test("the daemon's jumphost reads the last fencing number from Redis, with only the rights that docs/tunnel.md names", async () => {
  const { url: redisUrl } = await freshRedis();
  const redis = await redisClient(redisUrl);
  const page = readFileSync(join(packageRoot, "docs/tunnel.md"), "utf8");
  const [, rights = ""] = /`ACL SETUSER edge on >… ([^`]+)`/.exec(page) ?? [];
  await redis.acl("SETUSER", "edge", "on", ">its-password", ...rights.split(" "));
  const { fence } = await new LeaseStore(redis).claim("drone:7", "replica", "http://127.0.0.1:1", 60_000);
  const url = new URL(redisUrl);
  url.username = "edge";
  url.password = "its-password";
  const { jumphostUrl } = await start({ EDGE_REDIS_URL: url.href });
  const ask = (number: number) =>
    refusal(jumphostUrl, "10.71.0.2", undefined, {
      "x-link-fence": String(number),
      "x-link-key": "drone:7",
    });
  await until(async () => (await ask(fence - 1)).reason === "deposed");
  expect(await ask(fence)).toEqual({ status: 502, reason: "unreachable" });
});

test("the firewall opens the ports that are configured, and no other", () => {
  const portsWith = (env: Record<string, string>) =>
    edgePorts(loadConfig(tunnelConfig, { ...world.env, S3_ENDPOINT: "", ...env })).map(({ port }) => port);
  expect(portsWith({})).toEqual([8088]);
  expect(portsWith({ EDGE_REDIS_URL: "redis://127.0.0.1", EDGE_PORT: "9001" })).toEqual([9001, 9002]);
  expect(portsWith({ S3_ENDPOINT: "http://127.0.0.1:9000", EDGE_PORT: "9000" })).toEqual([9000, 9002]);
});

test("the strict profile with a gateway to forward to requires the edge's secret", () => {
  const strict = { ...world.env, ACCESS_PROFILE: "strict", TUNNEL_API_SECRET: SECRET };
  const withGateway = { ...strict, EDGE_GATEWAY_URL: "http://127.0.0.1:8081" };
  expect(() => loadConfig(tunnelConfig, withGateway)).toThrow("EDGE_SECRET");
  expect(loadConfig(tunnelConfig, strict).EDGE_SECRET).toBeUndefined();
});
