import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type Koa from "koa";
import { type Route, route } from "../http/route";
import { createMetrics } from "../platform/process/metrics";
import { CapturedLog } from "../testing/captured-log";
import { atEndOfFile } from "../testing/clean-up";
import { ApiClient } from "../testing/client";
import { scrape } from "../testing/scrape";
import { startTestGateway, type TestGateway, type TestUser } from "../testing/worlds/start-gateway";
import { BASE_PATH, gatewayApps } from "./app";

const EDGE_SECRET = "what only the edge knows";

const log = new CapturedLog();
let gateway: TestGateway;
let user: TestUser;
let drone: { ip: string };
beforeAll(async () => {
  gateway = await startTestGateway({ ACCESS_PROFILE: "strict", EDGE_SECRET, LOG_LEVEL: "warn" }, log);
  user = await gateway.newUser();
  drone = (await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" })).body;
});

test("a gateway of the strict profile without trusted proxies warns at start-up", () => {
  expect(log.text).toContain("TRUSTED_PROXIES is empty");
});

test("it warns, and says so in its metrics, when five users come from one address", async () => {
  const users = await Promise.all([1, 2, 3, 4, 5].map(() => gateway.newUser()));
  for (const { api } of users) expect((await api.get("/auth")).status).toBe(200);
  const later = new Date(Date.now() + 6 * 60_000);
  const clock = jest.spyOn(gateway.deps.clock, "now").mockReturnValue(later);
  try {
    expect((await scrape(gateway.url)).value("fleet_shared_client_address")).toBe(1);
  } finally {
    clock.mockRestore();
  }
  expect(log.text).toContain("Requests of all users come from one address");
});

const declared = (guard: "user" | "drone"): Route =>
  route({
    method: "get",
    path: `/of-a-${guard}`,
    tag: "Test",
    summary: "Answers",
    guard,
    envelope: "B",
    success: { status: 200 },
    handle: () => ({ answered: guard }),
  });

async function serve(app: Koa | undefined): Promise<ApiClient> {
  if (!app) throw new Error("There is no app for this port.");
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  return new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`);
}

test("in strict the drone-only port serves the drones' routes alone, and the main port none of them", async () => {
  const deps = { ...gateway.deps, registry: createMetrics("ports") };
  const apps = gatewayApps(deps, [declared("user"), declared("drone")], gateway.features.guards);
  const [main, drones] = await Promise.all([serve(apps.main), serve(apps.drone)]);
  const edge = { "x-edge-secret": EDGE_SECRET, "x-drone-ip": drone.ip };

  expect(await drones.with(edge).get("/of-a-drone")).toMatchObject({ body: { answered: "drone" } });
  expect((await drones.get("/of-a-drone")).status).toBe(401);
  expect((await main.with(edge).get("/of-a-drone")).status).toBe(404);
  expect(await main.as(user.token).get("/of-a-user")).toMatchObject({ body: { answered: "user" } });
  expect((await drones.as(user.token).with(edge).get("/of-a-user")).status).toBe(404);
});

test("the gateway listens on both ports, and users are served on the main one only", async () => {
  const onDronePort = new ApiClient(`${gateway.droneUrl}${BASE_PATH}`, user.token);
  expect((await user.api.get("/drones")).status).toBe(201);
  expect((await onDronePort.get("/drones")).status).toBe(404);
  expect((await onDronePort.post("/login", user)).status).toBe(404);
  expect((await fetch(`${gateway.droneUrl}/metrics`)).status).toBe(404);
});
