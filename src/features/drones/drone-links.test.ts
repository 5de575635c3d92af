import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { atEndOfFile } from "../../testing/clean-up";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestSimulator } from "../../testing/worlds/simulator";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

test("concurrent requests share one connection", async () => {
  const user = await gateway.newUser();
  const drone = await simulatedDrone(user.api);
  const before = gateway.deps.links.size;
  const ask = () => user.api.get(`/drone/action/connection?id=${drone.id}`);
  const replies = await Promise.all(Array.from({ length: 10 }, ask));
  expect(replies.map(({ body }) => body)).toEqual(Array(10).fill({ drone_id: drone.id }));
  expect(gateway.deps.links.size).toBe(before + 1);
});

test("a vehicle that accepts the connection and sends nothing is a 400 after the timeout", async () => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  atEndOfFile(async () => silent.close());
  // Shorter than a heartbeat's period: only for vehicles that send none.
  const waitMs = 600;
  const impatient = await startTestGateway({ LINK_CONNECT_TIMEOUT_MS: String(waitMs) });
  const user = await impatient.newUser();
  const { port } = silent.address() as AddressInfo;
  const input = { type: "sitl", name: "Silent", vehicle_type: "copter", port, link_host: "127.0.0.1" };
  const { id } = (await user.api.post("/drone", input)).body;
  const asked = performance.now();
  const reply = await user.api.get(`/drone/action/connection?id=${id}`);
  expect(reply).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  expect(performance.now() - asked).toBeGreaterThan(waitMs - 50);
  expect((await user.api.get(`/drone/${id}/params?params=RTL_ALT`)).status).toBe(500);
});

test("a physical drone is dialled through the jumphost, by its address and port", async () => {
  const { vehicle, stop } = await startTestSimulator([{ kind: "rover", bootSeconds: 8 }]);
  atEndOfFile(stop);
  const jumphost = await fakeJumphost(vehicle.port);
  const withJumphost = await startTestGateway({
    JUMPHOST_URL: jumphost.url,
    TUNNEL_API_SECRET: "a secret of the tunnel",
  });
  const user = await withJumphost.newUser();
  await saveSubscription(withJumphost.deps.db, user.id, { status: "active", vehicle_count: 1 });
  const input = { type: "physical", name: "Far away", vehicle_type: "rover", port: 5010 };
  const drone = (await user.api.post("/drone", input)).body;
  const reply = await user.api.get(`/drone/action/connection?id=${drone.id}`);
  expect(reply).toMatchObject({ status: 200, body: { drone_id: drone.id } });
  expect(jumphost.dialled).toEqual([
    { ip: drone.ip, port: "5010", authorization: "Bearer a secret of the tunnel" },
  ]);
});

test("outside a laptop a user may name only the operator's simulators", async () => {
  const production = await startTestGateway({
    DEPLOYMENT: "production",
    SIMULATOR_HOSTS: "lab.example",
  });
  const { api } = await production.newUser();
  const input = { type: "sitl", name: "Probe", vehicle_type: "copter" };
  for (const address of [
    { link_host: "169.254.169.254", port: 80 },
    { link_host: "127.0.0.1" },
    { link_host: "127.0.0.1", port: 6379 },
  ]) {
    const reply = await api.post("/drone", { ...input, ...address });
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("SIMULATOR_HOSTS") } });
  }
  const listed = await api.post("/drone", { ...input, link_host: "lab.example", port: 5770 });
  expect(listed.status).toBe(201);
  const moved = await api.put(`/drone/${listed.body.id}`, { link_host: "redis.example" });
  expect(moved).toMatchObject({ status: 400, body: { error: expect.stringContaining("SIMULATOR_HOSTS") } });
  expect((await api.put(`/drone/${listed.body.id}`, { link_host: null, port: 5760 })).status).toBe(201);
});

/** A fake: it writes down whom it was asked for, and pipes everything to one simulated vehicle instead. */
async function fakeJumphost(vehiclePort: number) {
  const dialled: { ip: unknown; port: unknown; authorization: unknown }[] = [];
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (pipe: WebSocket, { headers }) => {
    const { "x-drone-ip": ip, "x-drone-port": port, authorization } = headers;
    dialled.push({ ip, port, authorization });
    const vehicle = connect(vehiclePort, "127.0.0.1");
    vehicle.on("data", (bytes) => pipe.send(bytes));
    vehicle.on("error", () => pipe.terminate());
    pipe.on("message", (bytes: Buffer) => vehicle.write(bytes));
    pipe.on("close", () => vehicle.destroy());
  });
  await once(server, "listening");
  atEndOfFile(async () => {
    for (const pipe of server.clients) pipe.terminate();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, dialled };
}
