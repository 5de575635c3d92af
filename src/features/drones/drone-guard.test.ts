import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Koa, { type Context } from "koa";
import { z } from "zod";
import { errorBoundary } from "../../http/error-boundary";
import { mountRoutes } from "../../http/mount";
import { route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import { gatewayConfig, loadConfig } from "../../platform/config";
import { atEndOfFile } from "../../testing/clean-up";
import { ApiClient } from "../../testing/client";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

const EDGE_SECRET = "what only the edge knows";

/** A gateway of this profile with two drones, and a server beside it with one route of a drone's. */
async function world(env: Record<string, string> = {}) {
  const gateway = await startTestGateway({ SIMULATOR_COPTERS: "2", ...env });
  const user = await gateway.newUser();
  const { id, ip } = (await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" }))
    .body;
  const other = await gateway.newUser();
  const two = (await other.api.post("/drone", { type: "sitl", name: "Two", vehicle_type: "rover" })).body;
  const api = new ApiClient(await serveDroneRoute(gateway));
  return { gateway, user, other, api, one: { id, ip, user_id: user.id }, two: { id: two.id, ip: two.ip } };
}

const whoami = route({
  method: "get",
  path: "/whoami",
  tag: "Drones",
  summary: "The calling drone",
  guard: "drone",
  envelope: "B",
  success: { status: 200, schema: z.object({ id: z.int(), user_id: z.int(), ip: z.string() }) },
  handle: ({ caller }) => caller,
});

async function serveDroneRoute({ features }: TestGateway): Promise<string> {
  const app = new Koa();
  app.use(errorBoundary([whoami], ""));
  app.use(mountRoutes([whoami], { basePath: "", guards: features.guards, bodyLimitBytes: 1000 }));
  const server: Server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("in the contract profile", () => {
  let it: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    it = await world();
  });

  test.each(["x-drone-ip", "x-real-ip", "x-forwarded-for", "X-Drone-IP"])(
    "%s identifies the drone, simulated ones too",
    async (header) => {
      const reply = await it.api.with({ [header]: it.one.ip }).get("/whoami");
      expect(reply).toMatchObject({ status: 200, body: it.one });
    },
  );

  test("X-Drone-IP comes first, and a header of another network is skipped", async () => {
    const { one, two, api } = it;
    const first = await api.with({ "x-forwarded-for": two.ip, "x-real-ip": two.ip, "x-drone-ip": one.ip });
    expect((await first.get("/whoami")).body.id).toBe(one.id);
    const passed = await api.with({ "x-drone-ip": "192.0.2.1", "x-forwarded-for": `${two.ip}, 10.0.0.1` });
    expect((await passed.get("/whoami")).body.id).toBe(two.id);
  });

  test.each([
    ["no header at all", {}],
    ["an address of the user plane", { "x-drone-ip": "10.70.0.2" }],
    ["a text that only begins like an address", { "x-drone-ip": "10.71." }],
    ["an address with more behind it", { "x-real-ip": "10.71.240.0.evil.example" }],
    ["an octet beyond 255", { "x-drone-ip": "10.71.300.1" }],
    ["a drone's address behind another's", { "x-forwarded-for": "192.0.2.1, 10.71.240.0" }],
  ])("%s is a 401", async (_what, headers) => {
    const reply = await it.api.with(headers as Record<string, string>).get("/whoami");
    expect(reply).toMatchObject({ status: 401, body: { error: expect.any(String) } });
  });

  test("an address that no live drone has is a 404", async () => {
    const reply = await it.api.with({ "x-drone-ip": "10.71.0.77" }).get("/whoami");
    expect(reply).toMatchObject({ status: 404, body: { error: expect.stringContaining("10.71.0.77") } });
    const gone = (await it.user.api.get("/drones")).body[0];
    await it.user.api.delete(`/drone/${gone.id}`);
    expect((await it.api.with({ "x-drone-ip": gone.ip }).get("/whoami")).status).toBe(404);
  });

  test("the remote address identifies it as well, also in the form of a dual-stack socket", async () => {
    const guard = it.gateway.features.drone.guard;
    for (const remoteAddress of [it.two.ip, `::ffff:${it.two.ip}`])
      expect(await callFrom(guard, remoteAddress)).toMatchObject({ id: it.two.id, ip: it.two.ip });
  });

  test("there is no separate port for drones", () => {
    expect(it.gateway.droneUrl).toBeUndefined();
  });
});

describe("in the strict profile", () => {
  let it: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    it = await world({ ACCESS_PROFILE: "strict", EDGE_SECRET });
  });

  test("the address from the edge is accepted", async () => {
    const edge = it.api.with({ "x-edge-secret": EDGE_SECRET });
    expect(await edge.with({ "x-drone-ip": it.one.ip }).get("/whoami")).toMatchObject({
      status: 200,
      body: it.one,
    });
    expect((await edge.with({ "x-drone-ip": "10.71.0.77" }).get("/whoami")).status).toBe(404);
  });

  test.each([
    ["without the secret", {}],
    ["with another secret", { "x-edge-secret": `${EDGE_SECRET}!` }],
    ["with an empty secret", { "x-edge-secret": "" }],
  ])("%s a drone's address is a 401 in every header", async (_what, secret) => {
    for (const header of ["x-drone-ip", "x-real-ip", "x-forwarded-for"]) {
      const caller = it.api.with({ ...(secret as Record<string, string>), [header]: it.one.ip });
      expect((await caller.get("/whoami")).status).toBe(401);
    }
  });

  test("the edge states the address in X-Drone-IP and nowhere else", async () => {
    const edge = it.api.with({ "x-edge-secret": EDGE_SECRET });
    for (const header of ["x-real-ip", "x-forwarded-for"])
      expect((await edge.with({ [header]: it.one.ip }).get("/whoami")).status).toBe(401);
    await expect(callFrom(it.gateway.features.drone.guard, it.one.ip)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  test("a strict gateway without EDGE_SECRET does not start, and reports it beside other faults", () => {
    const env = { ACCESS_PROFILE: "strict", GATEWAY_PORT: "none" };
    expect(() => loadConfig(gatewayConfig, env)).toThrow(/EDGE_SECRET: is required/);
    expect(() => loadConfig(gatewayConfig, env)).toThrow(/GATEWAY_PORT/);
    expect(() => loadConfig(gatewayConfig, { ...env, EDGE_SECRET })).not.toThrow(/EDGE_SECRET/);
  });
});

/** The guard, asked by a fake request that has a remote address and no headers. */
const callFrom = async (guard: Guard<"drone">, remoteAddress: string) =>
  guard({ get: () => "", req: { socket: { remoteAddress } } } as unknown as Context);
