import { until } from "../../testing/until";
import {
  fakeTunnel,
  type GatewayWithTunnel,
  gatewayWithTunnel,
} from "../../testing/worlds/gateway-with-tunnel";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

let world: GatewayWithTunnel;
let user: TestUser;

beforeAll(async () => {
  world = await gatewayWithTunnel({ env: { LOG_LEVEL: "silent" }, tunnel: "strict" });
});
beforeEach(async () => {
  user = await world.gateway.newUser();
});

const download = async (api: TestUser["api"], path: string) => {
  const { body } = await api.get(path);
  return fetch(body.url);
};

test("the link leads to the user's own config, with the address that the row has", async () => {
  const text = await until(async () => {
    const reply = await download(user.api, "/user/vpn");
    const text = await reply.text();
    return reply.ok && text.endsWith("PersistentKeepalive = 25\n") && text;
  });
  expect(text).toContain(`Address = ${user.ip}/32`);
  expect(text).toContain("Endpoint = hub.example.com:51823");
});

test("the link leads to the drone's config, for its owner", async () => {
  const drone = await world.newDrone(user);
  const text = await until(async () => {
    const reply = await download(user.api, `/drone/${drone.id}/vpn`);
    const text = await reply.text();
    return reply.ok && text.endsWith("PersistentKeepalive = 25\n") && text;
  });
  expect(text).toContain(`Address = ${drone.ip}/32`);
});

test("the link is signed for the store's address of users, and the file is saved under a tunnel's name", async () => {
  const { body } = await user.api.get("/user/vpn");
  const url = new URL(body.url);
  expect(url.hostname).toBe("localhost");
  const reply = await until(async () => {
    const reply = await fetch(url);
    return reply.ok && reply;
  });
  expect(reply.headers.get("content-disposition")).toBe('attachment; filename="fleet.conf"');
  url.searchParams.set("X-Amz-Signature", "0".repeat(64));
  expect((await fetch(url)).status).toBe(403);
});

test("a link is given while the store is down", async () => {
  world.links.objects.cut();
  try {
    expect((await user.api.get("/user/vpn")).status).toBe(200);
  } finally {
    world.links.objects.mend();
  }
});

test("no reply of these routes holds a private key", async () => {
  const drone = await world.newDrone(user);
  const key = await until(async () => {
    const text = await (await download(user.api, `/drone/${drone.id}/vpn`)).text();
    return /PrivateKey = (\S+)\n/.exec(text)?.[1] ?? false;
  });
  const paths = ["/user/vpn", "/user/vpn/status", `/drone/${drone.id}/vpn`, `/drone/${drone.id}/vpn/status`];
  for (const path of [...paths, "/drones_status"]) {
    expect(JSON.stringify((await user.api.get(path)).body)).not.toContain(key);
  }
});

describe("the tunnel service's status", () => {
  let tunnel: Awaited<ReturnType<typeof fakeTunnel>>;
  let gateway: TestGateway;
  let owner: TestUser;
  let physical: number;
  let sitl: number;

  beforeAll(async () => {
    tunnel = await fakeTunnel();
    gateway = await startTestGateway({ VPN_SERVICE_URL: tunnel.url });
    owner = await gateway.newUser();
    await saveSubscription(gateway.deps.db, owner.id, { status: "active", vehicle_count: 5 });
    const add = async (type: string) =>
      (await owner.api.post("/drone", { type, name: type, vehicle_type: "copter" })).body.id as number;
    physical = await add("physical");
    sitl = await add("sitl");
  });

  const seen = async () => ({
    user: (await owner.api.get("/user/vpn/status")).body,
    drone: (await owner.api.get(`/drone/${physical}/vpn/status`)).body,
    drones: (await owner.api.get("/drones_status")).body,
  });
  const allDown = () => ({
    user: { status: false },
    drone: { status: false },
    drones: { [physical]: { is_active: false }, [sitl]: { is_active: true } },
  });
  const says = (status: number, text: string) => Object.assign(tunnel.says, { status, text });

  test("is returned: a handshake makes a tunnel up", async () => {
    says(200, JSON.stringify({ ip: "10.70.0.2", status: true, configured: true, latest_handshake: 1 }));
    expect(await seen()).toMatchObject({ user: { status: true }, drone: { status: true } });
  });

  test("is returned for all drones by their ids", async () => {
    says(200, JSON.stringify({ [physical]: { is_active: true }, 999: { is_active: true } }));
    expect((await seen()).drones).toEqual({ [physical]: { is_active: true }, [sitl]: { is_active: true } });
  });

  test.each([
    ["no JSON", 200, "<html>It works!</html>"],
    ["JSON of another shape", 200, '{"status": "yes", "1": {"is_active": "yes"}}'],
    ["nothing", 200, ""],
    ["an error", 500, '{"error": "no"}'],
    ["a refusal", 401, '{"error": "no"}'],
    ["a redirect", 302, "{}"],
  ])("counts as down when it is %s", async (_name, status, text) => {
    says(status, text);
    expect(await seen()).toEqual(allDown());
  });

  test("counts as down when the service does not listen", async () => {
    const alone = await startTestGateway({ VPN_SERVICE_URL: "http://127.0.0.1:9" });
    const { api } = await alone.newUser();
    expect(await api.get("/user/vpn/status")).toMatchObject({ status: 200, body: { status: false } });
  });
});

describe("the real tunnel service, which requires its secret", () => {
  test("knows the peers; without a handshake they are not up", async () => {
    const drone = await world.newDrone(user);
    const { tunnel } = world.gateway.features;
    await until(async () => (await tunnel.peer("drones", drone.ip as never))?.configured === true);
    await until(async () => (await tunnel.peer("users", user.ip as never))?.configured === true);
    expect([...(await tunnel.drones([drone.ip] as never))]).toEqual([[drone.id, false]]);
    expect((await user.api.get("/drones_status")).body).toEqual({ [drone.id]: { is_active: false } });
  });

  test("is not waited for longer than three seconds", async () => {
    const drone = await world.newDrone(user);
    world.links.tunnel.stall();
    try {
      const start = performance.now();
      const replies = await Promise.all(
        ["/user/vpn/status", `/drone/${drone.id}/vpn/status`, "/drones_status"].map((path) =>
          user.api.get(path),
        ),
      );
      const took = performance.now() - start;
      expect(replies.map(({ status, body }) => ({ status, body }))).toEqual([
        { status: 200, body: { status: false } },
        { status: 200, body: { status: false } },
        { status: 200, body: { [drone.id]: { is_active: false } } },
      ]);
      expect(took).toBeGreaterThan(2_500);
      expect(took).toBeLessThan(10_000);
    } finally {
      world.links.tunnel.mend();
    }
  });
});
