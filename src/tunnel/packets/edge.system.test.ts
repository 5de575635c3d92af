import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Redis } from "../../platform/redis/client";
import { freshFolder, redisClient } from "../../testing";
import type { ApiClient } from "../../testing/client";
import { compiledPrograms } from "../../testing/programs/programs";
import { TestSticks } from "../../testing/sticks";
import { asRoot, type HubTestbed, hubTestbed } from "../../testing/system/namespaces";
import type { Member } from "../../testing/system/namespaces/hub-testbed";
import {
  forwardFromNode,
  forwardToNode,
  requestIn,
  spawnNodeIn,
} from "../../testing/system/namespaces/links";
import { until } from "../../testing/until";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

/**
 * Everything that a drone and the gateway have to say to each other, in the strict profile, with real packets: the
 * real tunnel on the hub, real WireGuard, and on the drone the simulated vehicle and the real agent.
 */
const EDGE = "http://10.71.0.1:8088";
const EDGE_SECRET = "an edge secret of enough length";
const TUNNEL_API_SECRET = "a tunnel secret of enough length";
const strict = { ACCESS_PROFILE: "strict", EDGE_SECRET, TUNNEL_API_SECRET };
/** The vehicle's second port, for the computer on board. */
const AUTOPILOT_PORT = 5003;

let testbed: HubTestbed;
let gateway: TestGateway;
let redis: Redis;
let programs: string;
let owner: ApiClient;
const said: string[] = [];

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  programs = compiledPrograms();
  testbed = await hubTestbed();
  const { world, hub } = testbed;
  const store = {
    S3_ENDPOINT: world.env.S3_ENDPOINT as string,
    S3_ACCESS_KEY_ID: world.env.S3_ACCESS_KEY_ID as string,
    S3_SECRET_ACCESS_KEY: world.env.S3_SECRET_ACCESS_KEY as string,
  };
  gateway = await startTestGateway({
    ...strict,
    ...store,
    DATABASE_URL: world.databaseUrl,
    S3_DRONE_ENDPOINT: "http://10.71.0.1:8090",
    JUMPHOST_URL: `ws://127.0.0.1:${await forwardToNode(hub, 5051)}`,
  });
  redis = await redisClient(gateway.redisUrl);
  run(hub, "tunnel", {
    ...world.env,
    ...strict,
    DATABASE_URL: await forwardFromNode(hub, world.databaseUrl),
    S3_ENDPOINT: await forwardFromNode(hub, store.S3_ENDPOINT),
    EDGE_GATEWAY_URL: await forwardFromNode(hub, gateway.droneUrl as string),
    EDGE_REDIS_URL: await forwardFromNode(hub, gateway.redisUrl),
    TUNNEL_PORT: "5050",
    JUMPHOST_PORT: "5051",
    LOG_LEVEL: "info",
  });
  await testbed.connectAll();
  const [d1] = testbed.drones;
  await until(async () => (await fromDrone(d1, "GET", "/executions/current")).status === 200, 60_000);
  owner = gateway.api.as(gateway.features.account.tokens.pair(testbed.operators[0].id).access_token);
}, 180_000);

function run(node: HubTestbed["hub"], entrypoint: string, env: Record<string, string>): ChildProcess {
  const child = spawnNodeIn(node, [join(programs, "cmd", `${entrypoint}.js`)], env);
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => said.push(`${bytes}`));
  return child;
}

const fromDrone = (
  { client }: Member,
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: object,
) => requestIn(client.node, method, `${EDGE}/api/v1${path}`, headers, body);

asRoot("the edge identifies a drone by its tunnel address, not by its headers", async () => {
  const [d1, , d3] = testbed.drones;
  const forged = { "X-Drone-IP": [d3.ip, d3.ip], "X-Real-IP": d3.ip, "X-Forwarded-For": d3.ip };
  const begun = await fromDrone(d1, "POST", "/executions/start", { ...forged, "X-Edge-Secret": "guess" }, {});
  expect(begun).toMatchObject({ status: 200, body: { data: { drone_id: d1.id, status: "in_progress" } } });
  const { id } = begun.body.data;
  expect(await fromDrone(d3, "GET", "/executions/current", { "X-Drone-IP": d1.ip })).toMatchObject({
    status: 200,
    body: { data: null },
  });
  const complete = (drone: Member, headers = {}) =>
    fromDrone(drone, "POST", `/executions/${id}/complete`, headers, { status: "completed" });
  expect((await complete(d3, { "X-Drone-IP": d1.ip })).status).toBe(403);
  expect((await complete(d1)).status).toBe(200);
});

asRoot("operators do not reach the edge, and drones reach no other route of the gateway", async () => {
  const [d1] = testbed.drones;
  const operator = testbed.operators[0].client.node;
  expect((await requestIn(operator, "GET", `${EDGE}/api/v1/executions/current`)).status).toBe(0);
  expect((await fromDrone(d1, "GET", "/missions")).status).toBe(404);
  expect((await fromDrone(d1, "POST", "/login", {}, { username: "a", password: "b" })).status).toBe(404);
});

asRoot(
  "a mission is uploaded through the jumphost, and the agent flies, records and uploads through the edge",
  async () => {
    const [d1] = testbed.drones;
    const { node } = d1.client;
    const logFolder = freshFolder("flight-logs");
    run(node, "simulator", {
      HOST: d1.ip,
      SIMULATOR_PORT: "5001",
      SIMULATOR_ONBOARD_PORT: String(AUTOPILOT_PORT),
      SIMULATOR_LOG_FOLDER: logFolder,
      SIMULATOR_SPEEDUP: "5",
      LOG_LEVEL: "warn",
    });
    run(node, "onboard", {
      DRONE_IP: d1.ip,
      REDIS_URL: "redis://10.71.0.1:8089",
      ONBOARD_GATEWAY_URL: EDGE,
      ONBOARD_VEHICLE: `${d1.ip}:${AUTOPILOT_PORT}`,
      ONBOARD_LOG_FOLDER: join(logFolder, "1"),
      LOG_LEVEL: "info",
    });
    const answers: ReturnType<typeof JSON.parse>[] = [];
    const listener = await redisClient(gateway.redisUrl);
    listener.on("message", (_channel, text) => answers.push(JSON.parse(text)));
    await listener.subscribe(`${d1.ip}:output`);
    const status = () => answers.filter(({ type }) => type === "status").at(-1);
    await until(() => status()?.vehicle === "copter");

    const { body: mission } = await owner.post("/mission", { name: "Through the hub" });
    const points = [
      { command: 22, lat: 47.397742, lng: 8.545594, altitude: 20, type: "base", sequence: 0 },
      { command: 16, lat: 47.3982, lng: 8.5458, altitude: 20, type: "fly", sequence: 1 },
    ];
    for (const point of points) await owner.post("/mission/point", [{ ...point, mission_id: mission.id }]);
    const drone_id = d1.id;
    const order = (path: string, body = {}) => owner.post(`/drone/action/${path}`, { drone_id, ...body });
    const pushed = await until(async () => {
      const reply = await order("push_mission", { mission_id: mission.id });
      return reply.status === 200 && reply;
    });
    expect(pushed.body.message).toEqual(expect.any(String));
    const metrics = await testbed.hub.http("http://127.0.0.1:5050/metrics");
    expect(metrics).toMatch(/^fleet_jumphost_pipes\{.*\} 1$/m);

    await until(async () => (await order("guided")).status === 200);
    await until(async () => (await order("arm")).status === 200, 60_000);
    const executions = async () => (await owner.get("/executions")).body.data.executions;
    const running = await until(
      async () =>
        (await executions()).find((one: { status: string }) => one.status === "in_progress") ?? false,
      20_000,
    );
    expect((await order("takeoff", { altitude: 10 })).status).toBe(200);
    expect((await order("set_mode", { mode_info: { custom_mode: "LOITER" } })).status).toBe(200);

    const pilot = new TestSticks((frame) => void redis.publish(`${d1.ip}:gamepad_input`, frame));
    pilot.hold({ throttle: 1 });
    const accepted = () => answers.filter(({ accepted }) => accepted === true);
    await until(() => accepted().length > 10);
    expect(accepted().at(-1)).toMatchObject({ session: pilot.session, mode: "LOITER", state: "steering" });
    for (const { age_ms } of accepted()) expect(age_ms).toBeLessThanOrEqual(300);
    pilot.letGo();
    await until(() => status()?.mode === "BRAKE", 10_000);

    expect((await order("land")).status).toBe(200);
    await until(() => status()?.armed === false, 60_000);
    const over = await until(async () => {
      const { data } = (await owner.get(`/executions/${running.id}`)).body;
      return (
        data.status === "completed" &&
        data.assets.some((asset: { status: string }) => asset.status === "ready") &&
        data
      );
    });
    expect(over).toMatchObject({
      drone_id,
      log_asset_id: over.assets[0].id,
      assets: [{ asset_type: "logs" }],
    });
    const { body: stats } = await owner.post(`/executions/${running.id}/analyze-log`, {});
    expect(stats.data.stats.max_altitude_m).toBeGreaterThan(5);
  },
  240_000,
);

asRoot("the log holds no secret of the hub and no key of a user", async () => {
  const text = said.join("");
  expect(text).toContain("The edge listens");
  for (const secret of [EDGE_SECRET, TUNNEL_API_SECRET]) expect(text).not.toContain(secret);
});
