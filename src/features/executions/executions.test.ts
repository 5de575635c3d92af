import type { ApiClient } from "../../testing/client";
import { until } from "../../testing/until";
import { confirmRecipients } from "../../testing/worlds/flights";
import { storeMission } from "../../testing/worlds/plans";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { droneClient, put, sha256, upload } from "../../testing/worlds/uploads";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

interface World {
  readonly user: TestUser;
  readonly vehicle: { id: number; ip: string };
  readonly drone: ApiClient;
}

async function world(): Promise<World> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  return { user, vehicle: body, drone: droneClient(gateway.api, body.ip) };
}

const start = async (drone: ApiClient): Promise<number> =>
  (await drone.post("/executions/start", {})).body.id;
const complete = (drone: ApiClient, id: number, status = "completed") =>
  drone.post(`/executions/${id}/complete`, { status, notes: "All went well." });
const reportOf = async ({ api }: TestUser, id: number) =>
  (await api.get(`/executions/${id}`)).body.data.report;
const mailsTo = ({ username }: TestUser) => gateway.mail.mails.filter(({ to }) => to.includes(username));
const begin = async (drone: ApiClient, execution_id: number, n: number) =>
  (
    await drone.post("/authenticate_upload", {
      ...{ file_name: `photo-${n}.bin`, asset_type: "logs", checksum: sha256(`photo ${n}`), execution_id },
    })
  ).body as { asset_id: number; url: string };

test("ten starts at once are one execution, and a later one finds it", async () => {
  const { drone } = await world();
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(drone)));
  expect(new Set(ids).size).toBe(1);
  expect(await start(drone)).toBe(ids[0]);
  expect((await drone.get("/executions/current")).body.data.id).toBe(ids[0]);
  await complete(drone, ids[0] as number);
  expect((await drone.get("/executions/current")).body).toMatchObject({ success: true, data: null });
  expect(await start(drone)).not.toBe(ids[0]);
});

test("the plan on board is read again at the start: verified, then different, then unread", async () => {
  const user = await gateway.newUser();
  const simulated = await simulatedDrone(user.api);
  const drone = droneClient(gateway.api, simulated.ip);
  try {
    const mission = await storeMission(user.api, "survey of the north field");
    const other = await storeMission(user.api, "another");
    await user.api.patch(`/mission/point/${other.points[0]?.id}`, { altitude: 77 });
    const push = (mission_id: number) =>
      user.api.post("/drone/action/push_mission", { drone_id: simulated.id, mission_id });
    const pushed = await push(mission.id);
    expect(pushed.status).toBe(200);
    const first = (await drone.post("/executions/start", { mission_id: mission.id })).body;
    expect(first).toMatchObject({
      mission_id: mission.id,
      mission_name: "survey of the north field",
      plan_state: "verified",
      plan_hash: pushed.body.result.hash,
      verified_plan_hash: pushed.body.result.hash,
    });
    await complete(drone, first.id);
    await push(other.id);
    // As if that upload had never been heard of here: the drone holds something else than we know of.
    await gateway.deps.db("verified_plans").where({ drone_id: simulated.id, mission_id: other.id }).delete();
    const second = (await drone.post("/executions/start", {})).body;
    expect(second).toMatchObject({ plan_state: "different", verified_plan_hash: pushed.body.result.hash });
    expect(second.plan_hash).not.toBe(second.verified_plan_hash);
    await complete(drone, second.id);
  } finally {
    await simulated.stop();
  }
  await gateway.deps.links.close(`drone:${simulated.id}`, "the test lets the link go");
  const third = (await drone.post("/executions/start", {})).body;
  expect(third).toMatchObject({ status: "in_progress", plan_state: "unread", plan_hash: null });
});

test("a mission of another user is refused, and the default is the drone's mission", async () => {
  const { user, drone, vehicle } = await world();
  const otherUser = await gateway.newUser();
  const foreign = await storeMission(otherUser.api, "not yours");
  expect((await drone.post("/executions/start", { mission_id: foreign.id })).status).toBe(404);
  const own = await storeMission(user.api, "assigned");
  await user.api.put(`/drone/${vehicle.id}`, { mission_id: own.id });
  const { body } = await drone.post("/executions/start", {});
  expect(body).toMatchObject({ mission_id: own.id, mission_name: "assigned" });
  await user.api.delete(`/mission/${own.id}`);
  expect((await user.api.get(`/executions/${body.id}`)).body.data).toMatchObject({
    mission_id: null,
    mission_name: "assigned",
  });
});

test("an execution ends once; the same status is accepted again, and another one is refused", async () => {
  const { drone } = await world();
  const id = await start(drone);
  expect((await complete(drone, id, "aborted")).body).toMatchObject({
    status: "aborted",
    notes: "All went well.",
  });
  expect((await complete(drone, id, "aborted")).status).toBe(200);
  expect(await complete(drone, id, "completed")).toMatchObject({ status: 400, body: { success: false } });
  expect((await complete(drone, id, "in_progress")).status).toBe(400);
});

test("a report that waits for nothing is sent at once, and once to each recipient", async () => {
  const { user, drone } = await world();
  await confirmRecipients(gateway, user, ["Boss@Example.com"]);
  const id = await start(drone);
  await complete(drone, id);
  await until(async () => (await reportOf(user, id)) === "sent");
  await complete(drone, id);
  expect(mailsTo(user)).toHaveLength(1);
  expect(mailsTo(user)[0]).toMatchObject({
    subject: "Surveyor: Flight 1 – completed".replace("1", String(id)),
    html: expect.stringContaining("All went well."),
    text: expect.stringContaining("The drone sent no flight log"),
  });
  const toBoss = gateway.mail.mails.filter(({ to }) => to.includes("boss@example.com"));
  expect(toBoss.map(({ subject }) => subject)).toEqual([
    "Confirm that you want flight reports",
    mailsTo(user)[0]?.subject,
  ]);
});

test("ten uploads that complete at once after the end send one report, which waited for the last", async () => {
  const { user, drone } = await world();
  const id = await start(drone);
  const uploads = await Promise.all(Array.from({ length: 10 }, (_, n) => begin(drone, id, n)));
  await Promise.all(uploads.map(({ url }, n) => put(url, `photo ${n}`)));
  await complete(drone, id);
  expect(await reportOf(user, id)).toBe("pending");
  const finish = (from: number, to: number) =>
    Promise.all(uploads.slice(from, to).map(({ asset_id }) => drone.post("/complete_upload", { asset_id })));
  await finish(0, 5);
  expect(await reportOf(user, id)).toBe("pending");
  const replies = (await Promise.all([finish(0, 10), finish(5, 10)])).flat();
  expect(replies.map(({ status }) => status)).toEqual(Array(15).fill(200));
  await until(async () => (await reportOf(user, id)) === "sent");
  expect(mailsTo(user)).toHaveLength(1);
  expect(mailsTo(user)[0]?.html).toContain("photo-9.bin");
});

test("a day after the end the report is sent without the missing upload, and names it", async () => {
  const { user, drone } = await world();
  const id = await start(drone);
  await begin(drone, id, 1);
  await complete(drone, id);
  const due = () =>
    gateway.deps
      .db("graphile_worker.jobs")
      .where({ key: `report-deadline:${id}` })
      .first("run_at");
  const end = new Date((await user.api.get(`/executions/${id}`)).body.data.completed_at);
  expect((await due()).run_at.getTime() - end.getTime()).toBe(86_400_000);
  await gateway.deps.db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ?", [
    `report-deadline:${id}`,
  ]);
  await until(async () => (await reportOf(user, id)) === "sent");
  expect(mailsTo(user)[0]?.text).toContain("Not uploaded yet: photo-1.bin.");
});

test("deleting the upload that a report waits for sends it", async () => {
  const { user, drone, vehicle } = await world();
  const id = await start(drone);
  const { asset_id } = await begin(drone, id, 1);
  await complete(drone, id);
  await user.api.post(`/assets/${vehicle.id}/delete`, { ids: [asset_id] });
  await until(async () => (await reportOf(user, id)) === "sent");
});

test("a deleted execution takes its assets with it; a store that fails half-way is finished later", async () => {
  const { user, drone, vehicle } = await world();
  const id = await start(drone);
  const { store, db } = gateway.deps;
  const keys = [`archives/${id}.zip`];
  for (const name of ["a.bin", "b.bin"]) {
    const uploadRequest = { file_name: name, asset_type: "logs", execution_id: id };
    const { asset_id } = await upload(drone, uploadRequest, name);
    keys.unshift(`assets/${vehicle.id}/${asset_id}/${name}`);
  }
  await until(async () => (await user.api.get(`/executions/${id}/archive`)).body.status === "ready");
  const left = async () => {
    const sizes = await Promise.all(keys.map((key) => store.head(key)));
    return sizes.filter((size) => size !== undefined).length;
  };
  const remove = store.deletePrefix.bind(store);
  const fails = jest.spyOn(store, "deletePrefix").mockImplementation(async (prefix) => {
    if (fails.mock.calls.length > 1) throw new Error("the store is away");
    await remove(prefix);
  });
  try {
    expect((await user.api.delete(`/executions/${id}`)).status).toBe(200);
    expect((await user.api.get(`/executions/${id}`)).status).toBe(404);
    expect((await user.api.get(`/assets/${vehicle.id}`)).body.data).toEqual([]);
    expect(await left()).toBe(2);
  } finally {
    fails.mockRestore();
  }
  await db.raw("UPDATE graphile_worker._private_jobs SET run_at = now()");
  await until(async () => (await left()) === 0);
}, 90_000);

test("lists are pages of one's own, newest first, of at most a hundred", async () => {
  const { user, drone, vehicle } = await world();
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) {
    ids.unshift(await start(drone));
    await complete(drone, ids[0] as number);
  }
  const page = (await user.api.get("/executions?limit=2&offset=1")).body.data;
  expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
  expect(page.executions.map(({ id }: { id: number }) => id)).toEqual(ids.slice(1));
  expect((await user.api.get("/executions?limit=5000")).body.data.limit).toBe(100);
  const beyond = (await user.api.get("/executions?offset=3")).body.data;
  expect(beyond).toMatchObject({ executions: [], total: 3, offset: 3 });
  for (const bad of ["limit=0", "limit=x", "offset=-1", "offset=1.5"])
    expect((await user.api.get(`/executions?${bad}`)).status).toBe(400);
  const ofVehicle = (await user.api.get(`/executions/vehicle/${vehicle.id}`)).body.data;
  expect(ofVehicle).toMatchObject({ total: 3, limit: 20, offset: 0 });
  const otherUser = await gateway.newUser();
  expect((await otherUser.api.get("/executions")).body.data).toMatchObject({ executions: [], total: 0 });
});

test.each([
  ["no address, not an address", ["not an address"]],
  ["a@example.com;b@example.com", ["a@example.com;b@example.com"]],
])("extra emails %j are refused, each bad one by name", async (extra_emails, named) => {
  const { api, username } = await gateway.newUser();
  const refused = await api.put("/user/report-emails", { extra_emails });
  expect(refused.status).toBe(400);
  for (const name of named) expect(refused.body.error.message).toContain(name);
  expect((await api.get("/user/report-emails")).body.all_recipients).toEqual([username]);
});
