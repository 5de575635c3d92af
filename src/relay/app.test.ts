import { until } from "../testing/until";
import { startTestRelay, type TestRelay } from "../testing/worlds/start-relay";

let relay: TestRelay;

beforeAll(async () => {
  relay = await startTestRelay();
});

const get = async (path: string) => {
  const response = await fetch(`${relay.url}${path}`);
  return { status: response.status, body: await response.text() };
};

test("GET /drone/{id} gives the live drone's owner and address to every caller", async () => {
  const drone = await relay.newDrone();
  const { status, body } = await get(`/drone/${drone.id}`);
  expect([status, JSON.parse(body)]).toEqual([
    200,
    { drone_id: drone.id, user_id: drone.user_id, ip: drone.ip },
  ]);
});

test.each(["999999", "99999999999", "abc"])("GET /drone/%s is 404 with an error", async (id) => {
  const { status, body } = await get(`/drone/${id}`);
  expect([status, JSON.parse(body)]).toEqual([404, { error: "Drone not found" }]);
});

test("a deleted drone is not found", async () => {
  const { id } = await relay.newDrone();
  await relay.db("drones").where({ id }).update({ deleted_at: new Date(), ip: null });
  expect((await get(`/drone/${id}`)).status).toBe(404);
});

test("the relay is alive, ready with its dependencies listed, and answers other paths with 404", async () => {
  expect((await get("/healthz")).status).toBe(200);
  const ready = await get("/readyz");
  expect([ready.status, JSON.parse(ready.body)]).toEqual([
    200,
    { status: "ready", dependencies: { postgres: "up", redis: "up" } },
  ]);
  const nothing = await get("/elsewhere");
  expect([nothing.status, JSON.parse(nothing.body)]).toEqual([404, { error: "There is nothing here." }]);
});

test("the metrics count frames, and no label names a drone", async () => {
  const drone = await relay.newDrone();
  const redis = await relay.redis();
  const pilot = await relay.pilot(`/redispad/${drone.id}`).open();
  pilot.send("12345");
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "ok");
    return pilot.frames.length > 0;
  });
  pilot.send("67890");
  const has = (line: RegExp) => until(async () => line.test((await get("/metrics")).body));
  await has(/^fleet_relay_frames_total\{direction="to_drone",process="relay"\} 2$/m);
  await has(/^fleet_relay_bytes_total\{direction="to_drone",process="relay"\} 10$/m);
  await has(/^fleet_relay_frame_delay_seconds_count\{process="relay",direction="to_drone"\} 2$/m);
  await has(/^fleet_relay_sessions\{route="redispad",process="relay"\} 1$/m);
  pilot.socket.close();
  await has(/^fleet_relay_sessions_closed_total\{code="1005",process="relay"\} 1$/m);
  const { body } = await get("/metrics");
  expect(body).toMatch(/^# TYPE fleet_relay_frame_delay_seconds histogram$/m);
  expect(body).not.toContain(drone.ip);
});

test("GET /drone/{id} is 500 with an error without the database, and sessions are closed with 1013", async () => {
  const lost = await startTestRelay({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, relay);
  const response = await fetch(`${lost.url}/drone/1`);
  expect([response.status, await response.json()]).toEqual([
    500,
    { error: "The drone cannot be looked up now." },
  ]);
  const pilot = lost.pilot("/redispad/1");
  expect((await pilot.closed).code).toBe(1013);
  expect(pilot.frames).toEqual([]);
});
