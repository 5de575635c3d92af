import { request } from "node:http";
import { until } from "../../testing/until";
import { type TunnelWorld, tunnelWorld } from "../../testing/worlds/start-tunnel";
import type { Tunnel } from "../index";
import { SimulatedOs } from "../os/simulated-os";

const SECRET = "a bearer secret of enough length";

let world: TunnelWorld;
let open: Tunnel;
let strict: Tunnel;
let drone: { id: number; ip: string };

beforeAll(async () => {
  world = await tunnelWorld();
  // A database has one hub.
  const strictWorld = await tunnelWorld();
  for (const { fleet } of [world, strictWorld]) {
    const owner = await fleet.user("10.70.0.2");
    drone = await fleet.drone("10.71.0.2", owner.id);
  }
  const machine = () => ({ os: new SimulatedOs(), dataplane: "auto" as const });
  open = await world.start(machine());
  strict = await strictWorld.start(machine(), { ACCESS_PROFILE: "strict", TUNNEL_API_SECRET: SECRET });
  await until(async () => (await get(open, `/status/drone/${drone.ip}`)).status === 200);
});

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** `fetch` refuses a GET with a body. */
function get(
  tunnel: Tunnel,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(`${tunnel.url}${path}`, { method: "GET", headers }, (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk) => {
        text += chunk;
      });
      reply.on("end", () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: JSON.parse(text) }),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const json = (body: string) => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
});
const drones = (body: string, headers = {}) =>
  get(open, "/drones_status", body, { ...json(body), ...headers });

test("GET /drones_status takes its addresses from a JSON body and answers by drone id", async () => {
  const reply = await drones(JSON.stringify({ ips: [drone.ip, "10.71.9.9"] }));
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    [drone.id]: { ip: drone.ip, received_bytes: 0, sent_bytes: 0, latest_handshake: 0, is_active: false },
  });
});

test("an empty list of addresses gets an empty reply", async () => {
  expect(await drones('{"ips": []}')).toMatchObject({ status: 200, body: {} });
});

test.each([
  ["no ips", "{}", "ips"],
  ["something that is no list", '{"ips": "10.71.0.2"}', "ips"],
  ["something that is no address", '{"ips": ["10.71.0.2", "banana"]}', "ips.1"],
  ["a list", "[]", "body"],
])("GET /drones_status with %s is a 400 that names it", async (_, body, named) => {
  const reply = await drones(body);
  expect(reply.status).toBe(400);
  expect(reply.body.error).toContain(named);
});

test("GET /drones_status with a malformed or missing body is a 400 with the reason", async () => {
  expect(await drones('{"ips": [')).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("JSON") },
  });
  expect(await get(open, "/drones_status")).toMatchObject({
    status: 400,
    body: { error: expect.any(String) },
  });
});

test.each(["application/x-www-form-urlencoded", "text/plain"])(
  "GET /drones_status with a body that is said to be %s is a 415 that says what is wanted",
  async (type) => {
    const reply = await drones(JSON.stringify({ ips: [drone.ip] }), { "content-type": type });
    expect(reply).toMatchObject({
      status: 415,
      body: { error: expect.stringContaining("application/json") },
    });
  },
);

test("replies are cached for a second, the version for fifteen minutes", async () => {
  expect((await get(open, "/firewall")).headers["cache-control"]).toBe("private, max-age=1");
  expect((await get(open, "/version")).headers["cache-control"]).toBe("private, max-age=900");
});

test.each([
  "/status/user/10.70.0.2",
  "/status/drone/10.71.0.2",
  "/firewall",
  "/firewall/user/10.70.0.2",
  "/version",
])("the strict profile requires the bearer secret for %s", async (path) => {
  expect((await get(strict, path)).status).toBe(401);
  expect((await get(strict, path, undefined, { authorization: "Bearer wrong" })).status).toBe(401);
  await until(
    async () => (await get(strict, path, undefined, { authorization: `Bearer ${SECRET}` })).status === 200,
  );
});

test("health, readiness and metrics need no secret", async () => {
  for (const path of ["/healthz", "/readyz"]) expect((await get(strict, path)).status).toBe(200);
  expect((await fetch(`${strict.url}/metrics`)).status).toBe(200);
});

test("an unknown path is a 404 and another method a 405", async () => {
  expect((await get(open, "/peers")).status).toBe(404);
  expect((await fetch(`${open.url}/firewall`, { method: "DELETE" })).status).toBe(405);
});
