import type { Redis } from "../platform/redis";
import { startTestRelay, type TestRelay } from "../testing/start-relay";
import { until } from "../testing/until";

let relay: TestRelay;
let redis: Redis;

beforeAll(async () => {
  relay = await startTestRelay();
  redis = await relay.redis();
});

/** What the drone's computer receives. */
async function droneHears(ip: string): Promise<string[]> {
  const heard: string[] = [];
  const subscriber = await relay.redis();
  subscriber.on("message", (_channel, frame) => heard.push(frame));
  await subscriber.subscribe(`${ip}:gamepad_input`);
  return heard;
}

const listeners = async (ip: string) =>
  (await redis.pubsub("NUMSUB", `${ip}:output`, `${ip}:aruco_tracking`)).filter((_, i) => i % 2 === 1);

test("a pilot's frames reach the drone's channel, and the drone's both channels the pilot", async () => {
  const drone = await relay.newDrone();
  const heard = await droneHears(drone.ip);
  const pilot = await relay.pilot(`/redispad/${drone.id}?access_token=whatever`).open();
  pilot.send("before the look-up is over");
  pilot.send('{"axes":[0,-1]}');
  await until(() => heard.length === 2);
  expect(heard).toEqual(["before the look-up is over", '{"axes":[0,-1]}']);
  await redis.publish(`${drone.ip}:output`, "armed ✓");
  await redis.publish(`${drone.ip}:aruco_tracking`, '{"marker":7}');
  await until(() => pilot.frames.length === 2);
  expect(pilot.frames).toEqual(["armed ✓", '{"marker":7}']);
  pilot.socket.terminate();
  await until(async () => (await listeners(drone.ip)).every((count) => count === 0));
});

test("an unknown drone, and one without an address, get the contract's words and 4404", async () => {
  const drone = await relay.newDrone();
  await relay.db("drones").where({ id: drone.id }).update({ ip: null });
  for (const [id, words] of [
    [999_999, "Drone not found"],
    [99_999_999_999, "Drone not found"],
    [drone.id, "Drone IP not found"],
  ] as const) {
    const pilot = relay.pilot(`/redispad/${id}`);
    expect(await pilot.closed).toEqual({ code: 4404, reason: words });
    expect(pilot.frames).toEqual([words]);
  }
});

test.each(["/redispad/abc", "/redispad/1.5", "/redispad/-1", "/redispad/", "/elsewhere", "/redispad/1/x"])(
  "an upgrade of %s is answered with 404",
  async (path) => {
    await expect(relay.pilot(path).open()).rejects.toThrow("404");
  },
);
