import { once } from "node:events";
import { connect } from "node:net";
import { ApiClient } from "../../testing/client";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import {
  startReplicas,
  type TappedDrone,
  TEST_PEER_SECRET,
  type TestReplicas,
  tappedDrone,
} from "../../testing/worlds/replicas";

import type { TestGateway, TestUser } from "../../testing/worlds/start-gateway";
import { ownAddress } from "./index";

/** MAV_CMD_COMPONENT_ARM_DISARM and MAV_CMD_NAV_TAKEOFF. */
const [ARM, TAKEOFF] = [400, 22];

let replicas: TestReplicas;
let user: TestUser;
let drone: TappedDrone;

beforeAll(async () => {
  replicas = await startReplicas();
});
beforeEach(async () => {
  user = await replicas.first.newUser();
  drone = await tappedDrone(user);
});

const at = (gateway: TestGateway) => new ApiClient(`${gateway.url}/api/v1`).as(user.token);
const order = (gateway: TestGateway, action: string, body: object = {}) =>
  at(gateway).post(`/drone/action/${action}`, { drone_id: drone.id, ...body });
const watchAt = (gateway: TestGateway) => new TestWatcher(gateway.url, user.token);
const metric = async (gateway: TestGateway, name: string, ...labels: string[]) => {
  const text = await gateway.deps.registry.metrics();
  const found = text
    .split("\n")
    .find((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)));
  return Number(found?.split(" ").at(-1) ?? 0);
};

test("a drone has one link; orders at any replica use it, each once", async () => {
  const { first, second } = replicas;
  expect(await order(first, "guided")).toMatchObject({ status: 200, body: { result: { mode: "GUIDED" } } });
  expect(await order(second, "arm")).toMatchObject({ status: 200 });
  expect(await order(second, "takeoff", { altitude: 12 })).toMatchObject({
    status: 200,
    body: { result: { result: "MAV_RESULT_ACCEPTED" } },
  });
  expect(drone.vehicle.state.armed).toBe(true);
  expect(drone.tap.mostOpen).toBe(1);
  expect(drone.tap.orders.filter((command) => command === ARM)).toHaveLength(1);
  expect(drone.tap.orders.filter((command) => command === TAKEOFF)).toHaveLength(1);
  const calls = ['request="call"', 'outcome="answered"'];
  expect(await metric(second, "fleet_link_remote_seconds_count", ...calls)).toBe(2);
});

test("replicas call each other at IPv6 addresses", async () => {
  const { first, second } = await startReplicas({ HOST: "::", GATEWAY_PEER_HOST: "::1" });
  const pilot = await first.newUser();
  const own = await tappedDrone(pilot);
  const guide = (gateway: TestGateway) => {
    const api = new ApiClient(`${gateway.url}/api/v1`).as(pilot.token);
    return api.post("/drone/action/guided", { drone_id: own.id });
  };
  expect(await guide(first)).toMatchObject({ status: 200 });
  expect(await first.deps.redis.get(`fleet:link:{drone:${own.id}}`)).toMatch(/ http:\/\/\[::1\]:\d+$/);
  expect(await guide(second)).toMatchObject({ status: 200 });
  expect(own.tap.mostOpen).toBe(1);
});

test("a replica without GATEWAY_PEER_HOST uses an address that others reach", () => {
  const address = (address: string, internal = false) => ({
    ...{ address, internal, netmask: "", mac: "", cidr: null },
    ...(address.includes(":") ? { family: "IPv6" as const, scopeid: 0 } : { family: "IPv4" as const }),
  });
  const lo = [address("127.0.0.1", true), address("::1", true)];
  expect(ownAddress({ lo, eth0: [address("fd00::7"), address("10.42.0.7")] })).toBe("10.42.0.7");
  expect(ownAddress({ lo, eth0: [address("fe80::7"), address("fd00::7")] })).toBe("fd00::7");
  expect(ownAddress({ lo })).toBe("127.0.0.1");
});

test("a vehicle's refusal reaches the client of another replica unchanged", async () => {
  const { first, second } = replicas;
  const own = await order(first, "takeoff", { altitude: 12 });
  const other = await order(second, "takeoff", { altitude: 12 });
  expect(own.status).toBe(500);
  expect(other.status).toBe(500);
  expect(other.body).toEqual(own.body);
});

test("a mission is uploaded and read back through another replica", async () => {
  const { first, second } = replicas;
  await order(first, "guided");
  const mission = await at(second).post("/mission", { name: `route ${drone.id}` });
  for (const sequence of [1, 2, 3]) {
    const point = { mission_id: mission.body.id, lat: 47.3977, lng: 8.5455 + sequence / 1e4, altitude: 20 };
    await at(second).post("/mission/point", [{ ...point, type: "fly", sequence }]);
  }
  const pushed = await order(second, "push_mission", { mission_id: mission.body.id });
  expect(pushed).toMatchObject({ status: 200, body: { result: { items: 4, takeoff_added: true } } });
  expect(drone.tap.mostOpen).toBe(1);
});

test("a fence is uploaded, read and compared through another replica", async () => {
  const { first, second } = replicas;
  await order(first, "guided");
  const { id } = (await at(second).post("/geofence", { name: `field ${drone.id}`, type: "polygon" })).body;
  const points = [
    { lat: 47.5, lng: 8.5 },
    { lat: 47.5, lng: 8.6 },
    { lat: 47.6, lng: 8.5 },
  ];
  const rows = points.map((point) => ({ ...point, command: 5001 }));
  expect((await at(second).post(`/geofence/${id}/points`, rows)).status).toBe(201);
  expect((await order(second, "push_geofence", { geofence_id: id })).status).toBe(200);
  const path = `/drone/${drone.id}/onboard/fence?geofence_id=${id}`;
  const other = await at(second).get(path);
  expect(other).toMatchObject({
    status: 200,
    body: { same: true, included: true, areas: [{ type: "polygon", points }] },
  });
  expect((await at(first).get(path)).body).toEqual(other.body);
  expect(drone.tap.mostOpen).toBe(1);
});

test("a replica that stops releases its leases, and watchers of other replicas go on", async () => {
  const { first, second } = await startReplicas();
  user = await first.newUser();
  drone = await tappedDrone(user);
  await order(first, "guided");
  const watcher = watchAt(second);
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  await first.lifecycle.stop("the test says so");
  watcher.clear();
  await watcher.next("telemetry_data", 3);
  expect(await order(second, "guided")).toMatchObject({ status: 200 });
  expect(drone.tap.mostOpen).toBe(1);
  expect(watcher.all("error").length).toBeLessThanOrEqual(1);
});

test("a replica that stops releases its leases while a request is still under way", async () => {
  const { first, second } = await startReplicas({ SHUTDOWN_DRAIN_SECONDS: "60" });
  user = await first.newUser();
  drone = await tappedDrone(user);
  const watcher = watchAt(second);
  await order(first, "guided");
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  const { hostname, port } = new URL(first.url);
  const slow = connect(Number(port), hostname);
  slow.write(
    "POST /api/v1/login HTTP/1.1\r\nHost: first\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
  );
  // The server goes on reading, so the request is under way.
  await once(slow, "data");
  const stopped = first.lifecycle.stop("the test says so");
  await eventually("the link is here", () => second.deps.links.size === 1);
  watcher.clear();
  await watcher.next("telemetry_data", 3);
  expect(first.lifecycle.state).toBe("draining");
  slow.destroy();
  await stopped;
});

test("a replica whose order outlasts the drain releases that lease before it exits", async () => {
  const { first, second } = await startReplicas({ SHUTDOWN_DRAIN_SECONDS: "1" });
  user = await first.newUser();
  drone = await tappedDrone(user);
  await order(first, "guided");
  drone.tap.withholdAcknowledgements = true;
  const { orders } = drone.tap;
  const before = orders.length;
  const slow = order(first, "motortest", { motor_id: 1, percentage: 0.01 }).catch(() => undefined);
  await eventually("the order is under way", () => orders.length > before);
  await first.lifecycle.stop("the test says so");
  expect(await second.deps.redis.get(`fleet:link:{drone:${drone.id}}`)).toBeNull();
  await slow;
});

test("a simulator's endpoint is dialled for one drone at a time, by any name and any replica", async () => {
  const { first, second } = replicas;
  const twin = async (link_host: string) => {
    const otherUser = await first.newUser();
    const input = { type: "sitl", name: "twin", vehicle_type: "copter", port: drone.tap.port, link_host };
    const { status, body } = await otherUser.api.post("/drone", input);
    expect(status).toBe(201);
    return { otherUser, id: body.id as number };
  };
  const twins = [await twin("localhost"), await twin("127.0.0.1"), await twin("127.1")];
  const orderTwin = (gateway: TestGateway, { otherUser, id }: (typeof twins)[number]) =>
    new ApiClient(`${gateway.url}/api/v1`).as(otherUser.token).post("/drone/action/guided", { drone_id: id });
  expect((await order(first, "guided")).status).toBe(200);
  for (const one of twins) {
    for (const gateway of [second, first]) {
      expect(await orderTwin(gateway, one)).toMatchObject({
        status: 500,
        body: { error: expect.stringContaining("Another drone is connected") },
      });
    }
    const watcher = new TestWatcher(second.url, one.otherUser.token);
    await watcher.subscribe(one.id, "relalt");
    expect(await watcher.next("error")).toMatchObject({ message: expect.any(String) });
    watcher.socket.disconnect();
  }
  expect(drone.tap.mostOpen).toBe(1);
  expect((await at(second).delete(`/drone/action/connection?id=${drone.id}`)).status).toBe(200);
  const [next] = twins as [(typeof twins)[number]];
  await eventually("the next drone has it", async () => (await orderTwin(second, next)).status === 200);
  expect(await order(first, "guided")).toMatchObject({ status: 500 });
  expect(drone.tap.mostOpen).toBe(1);
});

test("the owner closes a drone's link at any replica, and its watchers get an error", async () => {
  const { first, second } = replicas;
  await order(first, "guided");
  const watcher = watchAt(second);
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  expect(await at(second).delete(`/drone/action/connection?id=${drone.id}`)).toMatchObject({ status: 200 });
  await eventually("the link is closed", () => drone.tap.open === 0);
  expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("subscribe again") });
});

test("a drone that is deleted at one replica loses its link at the others", async () => {
  const { first, second } = replicas;
  const watcher = watchAt(first);
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  expect(await at(second).delete(`/drone/${drone.id}`)).toMatchObject({ status: 201 });
  expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("deleted") });
  await eventually("the link is closed", () => drone.tap.open === 0);
  await eventually(
    "the lease is gone",
    async () => (await second.deps.redis.exists(`fleet:link:{drone:${drone.id}}`)) === 0,
  );
});

test("a link survives a short outage of Redis; a longer one closes it until Redis is back", async () => {
  const { first, redisOfFirst } = replicas;
  await order(first, "guided");
  drone.tap.reset();
  redisOfFirst.cut();
  expect(await order(first, "guided")).toMatchObject({ status: 200 });
  await eventually("the link is closed", () => drone.tap.open === 0);
  expect(await order(first, "guided")).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining("try again shortly") },
  });
  redisOfFirst.mend();
  await eventually("orders are taken again", async () => (await order(first, "guided")).status === 200);
  expect(drone.tap.mostOpen).toBe(1);
});

test("an order under way on the holder's own link when the lease is lost has the outcome unknown", async () => {
  const { first, redisOfFirst } = replicas;
  expect((await order(first, "guided")).status).toBe(200);
  drone.tap.reset();
  drone.tap.withholdAcknowledgements = true;
  const asked = order(first, "arm");
  await eventually("the order is on its way", () => drone.tap.orders.includes(ARM));
  redisOfFirst.cut();
  const orderReply = await asked;
  drone.tap.withholdAcknowledgements = false;
  redisOfFirst.mend();
  expect(orderReply).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining("may have obeyed or not. The link to the vehicle is gone") },
  });
  const [record] = await first.deps.db("drone_commands").where({ drone_id: drone.id, command: "arm" });
  expect(record).toMatchObject({ outcome: "unknown", error: orderReply.body.error });
  expect(drone.tap.orders.filter((command) => command === ARM)).toHaveLength(1);
});

test("a holder that was paused for longer than its lease sends nothing over its open link", async () => {
  const { first } = replicas;
  await order(first, "guided");
  drone.tap.reset();
  const target = {
    key: `drone:${drone.id}`,
    host: "127.0.0.1",
    port: drone.tap.port,
    via: "direct",
  } as const;
  const clock = jest.spyOn(performance, "now");
  const saidLate = first.deps.links.withLink(target, (link) => {
    // No timer has run since, that would have closed the link.
    clock.mockReturnValue(performance.now() + 60_000);
    return link.arm();
  });
  await expect(saidLate).rejects.toThrow();
  clock.mockRestore();
  await eventually("orders are taken again", async () => (await order(first, "guided")).status === 200);
  expect(drone.tap.orders).not.toContain(ARM);
});

test("leases have higher fencing numbers also after Redis has lost its data", async () => {
  const { first, second } = replicas;
  const fence = async () =>
    Number((await second.deps.redis.get(`fleet:link:{drone:${drone.id}}`))?.split(" ")[1] ?? 0);
  await eventually("orders are taken", async () => (await order(first, "guided")).status === 200);
  const before = await fence();
  await second.deps.redis.flushall();
  await eventually("it is leased again", async () => {
    await order(second, "guided");
    return (await fence()) > before;
  });
  expect(before).toBeGreaterThan(0);
  await eventually("the vehicle has one connection", () => drone.tap.open === 1);
});

test("the port between replicas requires the secret, and makes only the calls of its table", async () => {
  const { first } = replicas;
  await order(first, "guided");
  const lease = await first.deps.redis.get(`fleet:link:{drone:${drone.id}}`);
  const url = lease?.split(" ")[2] as string;
  const target = { key: `drone:${drone.id}`, host: "127.0.0.1", port: drone.tap.port, via: "direct" };
  const ask = async (message: unknown, secret?: string) => {
    const headers = secret === undefined ? undefined : { authorization: `Bearer ${secret}` };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(message) })).status;
  };
  const call = (method: string, ...args: unknown[]) => ({ ask: "call", target, call: { method, args } });
  expect(await ask(call("arm"))).toBe(401);
  expect(await ask(call("arm"), "another secret of some length")).toBe(401);
  expect(await ask(call("close", "for fun"), TEST_PEER_SECRET)).toBe(400);
  expect(await ask(call("constructor"), TEST_PEER_SECRET)).toBe(400);
  expect(await ask(call("takeoff", "high"), TEST_PEER_SECRET)).toBe(422);
  expect(await ask({ ...call("arm"), target: { ...target, key: "drone:0" } }, TEST_PEER_SECRET)).toBe(409);
  expect(drone.tap.orders).not.toContain(ARM);
});
