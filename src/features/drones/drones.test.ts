import jwt from "jsonwebtoken";
import type { ApiClient } from "../../testing/client";
import {
  startTestGateway,
  TEST_JWT_SECRET,
  type TestGateway,
  type TestUser,
} from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

let gateway: TestGateway;
let user: TestUser;
let api: ApiClient;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  user = await gateway.newUser();
  api = user.api;
});

const sitl = { type: "sitl", name: "Training copter", vehicle_type: "copter" };
const physical = { type: "physical", name: "Survey copter", vehicle_type: "copter" };
const subscribe = (vehicle_count: number) =>
  saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count });
const rowOf = (id: number) => gateway.deps.db("drones").where({ id }).first();

describe("POST /drone", () => {
  test("a physical drone gets an address of its block, port 5001 and both tokens", async () => {
    await subscribe(1);
    const { status, body } = await api.post("/drone", physical);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...physical,
      user_id: user.id,
      mission_id: null,
      port: 5001,
      link: "mavlink",
    });
    expect(body.ip).toMatch(/^10\.71\.(\d|\d\d|1\d\d|2[0-3]\d)\.\d+$/);
    expect(body.activation_token).toMatch(/^\d{10}$/);
  });

  test("a simulated drone gets an address of the simulated block and no activation token", async () => {
    const { status, body } = await api.post("/drone", sitl);
    expect(status).toBe(201);
    expect(body.ip).toMatch(/^10\.71\.2(4\d|5[0-5])\.\d+$/);
    expect(body).toMatchObject({ port: gateway.deps.config.SIMULATOR_PORT, link_host: null });
    expect(body).not.toHaveProperty("activation_token");
  });

  test("the video room token is a JWT over the drone's id that is no user's token", async () => {
    const { body } = await api.post("/drone", sitl);
    const claims = jwt.verify(body.video_room_token, TEST_JWT_SECRET, { algorithms: ["HS256"] });
    expect(claims).toMatchObject({ drone_id: body.id });
    expect(claims).not.toHaveProperty("sub");
    expect(claims).not.toHaveProperty("type");
    expect((await gateway.api.as(body.video_room_token).get("/drones")).status).toBe(401);
    expect(gateway.features.account.tokens.userOf(body.video_room_token)).toBeUndefined();
  });

  test.each([
    ["a type that does not exist", { type: "boat" }],
    ["a number for a name", { name: 7 }],
    ["an empty name", { name: "  " }],
    ["a name with U+0000", { name: "a\u0000b" }],
    ["no vehicle type", { vehicle_type: undefined }],
    ["a plane", { vehicle_type: "plane" }],
    ["a port beyond 65535", { port: 65_536 }],
    ["a port as a word", { port: "5760" }],
    ["a link that is not spoken", { link: "rosbridge" }],
    ["a host that is a URL", { link_host: "http://169.254.169.254/" }],
    ["a host of 300 characters", { link_host: "a".repeat(300) }],
  ])("%s is a 400 that names the field", async (_what, fault) => {
    const { status, body } = await api.post("/drone", { ...sitl, ...fault });
    expect(status).toBe(400);
    expect(body.error).toContain(Object.keys(fault)[0]);
    expect((await api.get("/drones")).body).toEqual([]);
  });

  test("a physical drone has no link_host: it is dialled at its own address", async () => {
    await subscribe(1);
    const { status, body } = await api.post("/drone", { ...physical, link_host: "192.0.2.1" });
    expect(status).toBe(400);
    expect(body.error).toContain("link_host");
  });
});

describe("PUT /drone", () => {
  test("changes only what is named", async () => {
    const { body: before } = await api.post("/drone", { ...sitl, port: 5762 });
    const { status, body: after } = await api.put(`/drone/${before.id}`, { name: "Renamed" });
    expect(status).toBe(201);
    expect(after).toEqual({ ...before, name: "Renamed", updated_at: after.updated_at });
    expect(await api.put(`/drone/${before.id}`, {})).toMatchObject({
      status: 201,
      body: { name: "Renamed" },
    });
  });

  test("accepts a whole drone object as it was returned", async () => {
    const { body: before } = await api.post("/drone", sitl);
    const { status, body } = await api.put(`/drone/${before.id}`, before);
    expect(status).toBe(201);
    expect(body).toEqual({ ...before, updated_at: body.updated_at });
  });

  test("assigns a mission of the caller, and null takes it away", async () => {
    const mission = (await api.post("/mission", { name: "Round trip" })).body;
    const drone = (await api.post("/drone", sitl)).body;
    const assigned = await api.put(`/drone/${drone.id}`, { mission_id: mission.id });
    expect(assigned.body.mission_id).toBe(mission.id);
    expect((await api.get(`/drones/mission?missionId=${mission.id}`)).body).toEqual([assigned.body]);
    expect((await api.put(`/drone/${drone.id}`, { mission_id: null })).body.mission_id).toBeNull();
    expect((await api.get(`/drones/mission?missionId=${mission.id}`)).body).toEqual([]);
  });

  test("another user's mission, or a missing one, is a 404 and nothing changes", async () => {
    const otherUser = await gateway.newUser();
    const theirs = (await otherUser.api.post("/mission", { name: "Theirs" })).body;
    const drone = (await api.post("/drone", sitl)).body;
    for (const mission_id of [theirs.id, 2_000_000_000]) {
      const reply = await api.put(`/drone/${drone.id}`, { name: "Renamed", mission_id });
      expect(reply).toMatchObject({ status: 404, body: { error: "No such mission." } });
    }
    expect((await api.get("/drones")).body).toEqual([drone]);
  });

  test.each([
    { type: "boat" },
    { name: null },
    { mission_id: "7" },
    { mission_id: 1.5 },
    { mission_id: 1e12 },
  ])("%j is a 400", async (change) => {
    const drone = (await api.post("/drone", sitl)).body;
    const reply = await api.put(`/drone/${drone.id}`, change);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(Object.keys(change)[0]);
  });

  test("a simulated drone that becomes physical is a new device", async () => {
    const before = (await api.post("/drone", { ...sitl, port: 5999, link_host: "127.0.0.1" })).body;
    const beforeRow = await rowOf(before.id);
    expect(await api.put(`/drone/${before.id}`, { type: "physical" })).toMatchObject({
      status: 402,
      body: { error: expect.stringMatching(/\(no_subscription\)$/) },
    });
    expect((await api.get("/drones")).body).toEqual([before]);

    await subscribe(1);
    const { status, body: after } = await api.put(`/drone/${before.id}`, { type: "physical" });
    expect(status).toBe(201);
    expect(after).toMatchObject({ id: before.id, type: "physical", port: 5001, link_host: null });
    expect(after.activation_token).toMatch(/^\d{10}$/);
    expect(after.ip).not.toBe(before.ip);
    expect(after.video_room_token).not.toBe(before.video_room_token);
    expect((await rowOf(before.id)).vpn_key_id).not.toBe(beforeRow.vpn_key_id);
    const released = await gateway.deps.db("vpn_addresses").where("ip", before.ip).first();
    expect(released.released_at).toBeInstanceOf(Date);
  });

  test("a whole drone object with another type gets the new type's address and port", async () => {
    await subscribe(1);
    const before = (await api.post("/drone", { ...sitl, link_host: "127.0.0.1" })).body;
    const reply = await api.put(`/drone/${before.id}`, { ...before, type: "physical" });
    expect(reply).toMatchObject({ status: 201, body: { type: "physical", link_host: null } });
  });

  test("a physical drone that becomes simulated loses its activation token and its address", async () => {
    await subscribe(1);
    const before = (await api.post("/drone", physical)).body;
    const { body: after } = await api.put(`/drone/${before.id}`, { type: "sitl" });
    expect(after).toMatchObject({ type: "sitl", port: gateway.deps.config.SIMULATOR_PORT });
    expect(after.ip).toMatch(/^10\.71\.2(4\d|5[0-5])\./);
    expect((await rowOf(before.id)).activation_token).toBeNull();
  });

  test("the activation token is shown once", async () => {
    await subscribe(1);
    const { id } = (await api.post("/drone", physical)).body;
    const shown = [
      (await api.get("/drones")).body[0],
      (await api.put(`/drone/${id}`, { name: "Again" })).body,
      (await api.put(`/drone/${id}`, { type: "physical" })).body,
    ];
    for (const drone of shown) expect(drone).not.toHaveProperty("activation_token");
    expect((await rowOf(id)).activation_token).toMatch(/^\d{10}$/);
  });
});

describe("DELETE /drone", () => {
  test("removes the drone from everything live and keeps its row", async () => {
    const mission = (await api.post("/mission", { name: "Last one" })).body;
    const drone = (await api.post("/drone", sitl)).body;
    await api.put(`/drone/${drone.id}`, { mission_id: mission.id });
    expect((await api.delete(`/drone/${drone.id}`)).status).toBe(201);

    expect((await api.get("/drones")).body).toEqual([]);
    expect((await api.get(`/drones/mission?missionId=${mission.id}`)).body).toEqual([]);
    for (const again of [api.delete(`/drone/${drone.id}`), api.put(`/drone/${drone.id}`, { name: "Ghost" })])
      expect((await again).status).toBe(404);
    expect(await rowOf(drone.id)).toMatchObject({
      name: drone.name,
      deleted_at: expect.any(Date),
      ip: null,
      mission_id: null,
      activation_token: null,
      video_room_token: null,
    });
    expect((await api.delete(`/mission/${mission.id}`)).status).toBe(200);
  });

  test("its address is not given out for a day, and its tokens and key are gone", async () => {
    await subscribe(1);
    const first = (await api.post("/drone", physical)).body;
    await api.delete(`/drone/${first.id}`);
    const second = (await api.post("/drone", physical)).body;
    expect(second.ip).not.toBe(first.ip);
    await api.delete(`/drone/${second.id}`);

    const { db } = gateway.deps;
    await db("vpn_addresses")
      .where("ip", first.ip)
      .update({ released_at: db.raw("now() - interval '25 hours'") });
    const third = (await api.post("/drone", physical)).body;
    expect(third.ip).toBe(first.ip);
    expect(third.video_room_token).not.toBe(first.video_room_token);
    expect(third.activation_token).not.toBe(first.activation_token);
    const [firstRow, thirdRow] = [await rowOf(first.id), await rowOf(third.id)];
    expect(thirdRow.vpn_key_id).not.toBe(firstRow.vpn_key_id);
  });

  test("two concurrent deletions delete it once and release its address once", async () => {
    const drone = (await api.post("/drone", sitl)).body;
    const replies = await Promise.all([api.delete(`/drone/${drone.id}`), api.delete(`/drone/${drone.id}`)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 404]);
  });
});

test("another user finds none of it", async () => {
  const drone = (await api.post("/drone", sitl)).body;
  const { api: theirs } = await gateway.newUser();
  expect((await theirs.put(`/drone/${drone.id}`, { name: "Mine" })).status).toBe(404);
  expect((await theirs.delete(`/drone/${drone.id}`)).status).toBe(404);
  expect((await theirs.get(`/drone/${drone.id}/params?params=RTL_ALT`)).status).toBe(404);
  expect((await theirs.post(`/drone/${drone.id}/params/pull`)).status).toBe(404);
  expect((await theirs.get(`/drone/action/connection?id=${drone.id}`)).status).toBe(400);
  expect((await theirs.delete(`/drone/action/connection?id=${drone.id}`)).status).toBe(400);
  expect((await theirs.get("/drones")).body).toEqual([]);
  expect((await api.get("/drones")).body).toEqual([drone]);
});
