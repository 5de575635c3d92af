import type { Redis } from "../platform/redis/client";
import { until } from "../testing/until";
import { startTestRelay, type TestDrone, type TestRelay } from "../testing/worlds/start-relay";

let relay: TestRelay;
let redis: Redis;

beforeAll(async () => {
  relay = await startTestRelay();
  redis = await relay.redis();
});

/** What the drone's computer receives. */
async function framesToDrone(ip: string): Promise<string[]> {
  const received: string[] = [];
  const subscriber = await relay.redis();
  subscriber.on("message", (_channel, frame) => received.push(frame));
  await subscriber.subscribe(`${ip}:gamepad_input`);
  return received;
}

const subscribers = async ({ ip }: TestDrone) => (await redis.pubsub("NUMSUB", `${ip}:output`))[1] as number;

/** A pilot whose session is open: the relay listens for the drone. */
async function live(drone: TestDrone, times = 1) {
  const pilots = Array.from({ length: times }, () => relay.pilot(`/redispad/${drone.id}`));
  for (const pilot of pilots) {
    await pilot.open();
    await until(async () => {
      await redis.publish(`${drone.ip}:output`, "hello");
      return pilot.frames.length > 0;
    });
  }
  for (const pilot of pilots) await until(() => pilot.frames.every((frame) => frame === "hello"));
  return pilots;
}

test("a pilot's frames reach the drone's channel, and the drone's both channels the pilot", async () => {
  const drone = await relay.newDrone();
  const received = await framesToDrone(drone.ip);
  const pilot = await relay.pilot(`/redispad/${drone.id}?access_token=whatever`).open();
  pilot.send('{"axes":[0,-1]}');
  await until(() => received.length === 1);
  expect(received).toEqual(['{"axes":[0,-1]}']);
  await redis.publish(`${drone.ip}:output`, "armed ✓");
  await redis.publish(`${drone.ip}:aruco_tracking`, '{"marker":7}');
  await until(() => pilot.frames.length === 2);
  expect(pilot.frames).toEqual(["armed ✓", '{"marker":7}']);
});

test("frames that are sent during the drone's look-up arrive in order", async () => {
  const drone = await relay.newDrone();
  const received = await framesToDrone(drone.ip);
  const pilot = relay.pilot(`/redispad/${drone.id}`);
  const frames = Array.from({ length: 500 }, (_, i) => `frame ${i}`);
  pilot.socket.on("open", () => {
    for (const frame of frames) pilot.send(frame);
  });
  await until(() => received.length === frames.length);
  expect(received).toEqual(frames);
});

test("an unknown drone, and one without an address, give the contract's message and 4404", async () => {
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

test("100,000 frames keep their bytes and their order while as many answers come back the other way", async () => {
  const frames = 100_000;
  const expected = (i: number) => `${i} ß漢字🚁${"ñ".repeat(i % 40)}`;
  const drone = await relay.newDrone();
  const subscriber = await relay.redis();
  let arrived = 0;
  let wrong = 0;
  subscriber.on("message", (_channel, frame) => {
    if (frame !== expected(arrived)) wrong += 1;
    arrived += 1;
    // The drone answers every frame; a pilot reads as fast as that.
    redis.publish(`${drone.ip}:output`, frame).catch(() => {});
  });
  await subscriber.subscribe(`${drone.ip}:gamepad_input`);
  const [pilot] = await live(drone);
  const answers: string[] = [];
  pilot!.socket.on("message", (data) => String(data) !== "hello" && answers.push(String(data)));
  for (let sent = 0; sent < frames; ) {
    const upTo = Math.min(frames, sent + 1_000);
    for (; sent < upTo; sent++) pilot!.send(expected(sent));
    await until(() => sent - answers.length < 1_500, 60_000);
  }
  await until(() => arrived === frames && answers.length === frames, 60_000);
  expect(wrong).toBe(0);
  expect(answers.findIndex((answer, i) => answer !== expected(i))).toBe(-1);
}, 180_000);

test("an unpaced flood loses no frame on its way to the drone", async () => {
  const drone = await relay.newDrone();
  const received = await framesToDrone(drone.ip);
  const [pilot] = await live(drone);
  for (let i = 0; i < 50_000; i++) pilot!.send(`${i}`);
  await until(() => received.length === 50_000);
  expect(received.findIndex((frame, i) => frame !== `${i}`)).toBe(-1);
});

test("two pilots of one drone both send and receive, over one subscription", async () => {
  const drone = await relay.newDrone();
  const received = await framesToDrone(drone.ip);
  const [one, other] = await live(drone, 2);
  expect(await subscribers(drone)).toBe(1);
  one!.send("from one");
  other!.send("from the other");
  await until(() => received.length === 2);
  expect(received.toSorted()).toEqual(["from one", "from the other"]);

  one!.socket.terminate();
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "still here");
    return other!.frames.includes("still here");
  });
  expect(await subscribers(drone)).toBe(1);
  other!.socket.terminate();
  await until(async () => (await subscribers(drone)) === 0);
});

test("a session stays bound to the address that the drone had when it was opened", async () => {
  const drone = await relay.newDrone();
  const [pilot] = await live(drone);
  const before = await framesToDrone(drone.ip);
  await relay.db("vpn_addresses").insert({ ip: "10.71.254.1", range: "simulated" });
  const after = await framesToDrone("10.71.254.1");
  await relay.db("drones").where({ id: drone.id }).update({ ip: "10.71.254.1" });

  const next = await relay.pilot(`/redispad/${drone.id}`).open();
  next.send("to the new address");
  await until(() => after.length === 1);
  pilot!.send("to the old address");
  await until(() => before.length === 1);
  expect([before, after]).toEqual([["to the old address"], ["to the new address"]]);
  expect(pilot!.closedWith).toBeUndefined();
});

test("text of 64 KiB passes; more is refused with 1009, a binary frame with 1003, bad UTF-8 with 1007", async () => {
  const drone = await relay.newDrone();
  const received = await framesToDrone(drone.ip);
  const [fits, tooBig, binary, garbled] = await live(drone, 4);
  fits!.send("x".repeat(65_536));
  await until(() => received.length === 1);
  tooBig!.send("x".repeat(65_537));
  expect((await tooBig!.closed).code).toBe(1009);
  binary!.socket.send(Buffer.from([1, 2, 3]));
  expect((await binary!.closed).code).toBe(1003);
  garbled!.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
  expect((await garbled!.closed).code).toBe(1007);
  fits!.send("last");
  await until(() => received.length === 2);
  expect(received.map((frame) => frame.length)).toEqual([65_536, 4]);
});

test("a drone's message that is not UTF-8 reaches the pilot with replacement characters", async () => {
  const drone = await relay.newDrone();
  const [pilot] = await live(drone);
  await redis.publish(`${drone.ip}:output`, Buffer.from([0x6f, 0x6b, 0xff]));
  await until(() => pilot!.frames.includes("ok\ufffd"));
  expect(pilot!.closedWith).toBeUndefined();
});
