import type { Db } from "../../platform/postgres/db";
import { openDatabase } from "../../platform/postgres/db";
import { freshDatabase } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { insertMissions, missionPoint } from "../../testing/worlds/plans";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { createUser } from "../accounts";
import { PLAN_LIMITS } from "../plans";
import type { Mission } from "./missions.schema";
import { MissionService } from "./missions.service";

const limits = { plans: 3, pointsOfPlan: 4, points: 6 };

let db: Db;
let missions: MissionService;
let userId: number;
beforeAll(async () => {
  db = openDatabase((await freshDatabase()).url, { poolMax: 6, name: "test" });
  atEndOfFile(() => db.destroy());
  missions = new MissionService(db, limits);
});
beforeEach(async () => {
  userId = await newUser();
});

async function newUser(): Promise<number> {
  const username = `${crypto.randomUUID()}@example.com`;
  return (await createUser(db, { username, password_hash: "none", level: null, active: true })).id;
}

const insert = (plans: number, pointsEach = 0) => insertMissions(db, userId, { plans, pointsEach });

/** The mission that a change returned. */
const whole = async (json: Promise<string>): Promise<Mission> => JSON.parse(await json);

const list = async (): Promise<Mission[]> => JSON.parse(String(await missions.listJson(userId)));

const add = (mission_id: number | undefined) =>
  missions.addPoint(userId, mission_id as number, {
    ...(missionPoint as typeof missionPoint & { type: "fly" }),
    mission_id: mission_id as number,
  });

/** How many of those begun at once were taken; the others were refused in these words. */
async function taken(begun: readonly Promise<unknown>[], words: string): Promise<number> {
  const settled = await Promise.allSettled(begun);
  for (const one of settled)
    if (one.status === "rejected")
      expect(one.reason).toMatchObject({ code: "invalid_input", message: words });
  return settled.filter(({ status }) => status === "fulfilled").length;
}

test("of missions made at once the last that fits is kept, and another one when one was deleted", async () => {
  const [first] = await insert(limits.plans - 1);
  const words = "You have 3 missions, which is the most; delete old ones.";
  const begun = ["a", "b", "c", "d"].map((name) => missions.create(userId, { name }));
  expect(await taken(begun, words)).toBe(1);
  await missions.remove(userId, first as number);
  await missions.create(userId, { name: "after all" });
  expect(await whole(missions.create(await newUser(), { name: "another's" }))).toMatchObject({
    name: "another's",
  });
});

test("of points added to a mission at once the last that fits is kept", async () => {
  const [mission] = await insert(1, limits.pointsOfPlan - 1);
  const words = "A mission has 4 points at most; create another one.";
  expect(await taken([add(mission), add(mission), add(mission)], words)).toBe(1);
});

test("of points added to two missions at once the last that all have room for is kept", async () => {
  const [first, second] = await insert(2, 2);
  await insert(1, 1);
  const words = "Your missions have 6 points together, which is the most; delete old missions.";
  expect(await taken([add(first), add(second), add(second), add(first)], words)).toBe(1);
});

test("points beyond every limit are read, changed and deleted, until there is room again", async () => {
  const [mission, other] = (await insert(limits.plans + 2, limits.pointsOfPlan + 1)) as [number, number];
  expect(await list()).toHaveLength(limits.plans + 2);
  const { mission_points } = await missions.get(userId, mission);
  for (const { id } of mission_points.slice(0, 2)) {
    await missions.changePoint(userId, id, { altitude: 99 });
    await missions.removePoint(userId, id);
  }
  await expect(add(mission)).rejects.toThrow("points together");
  for (const { id } of await list()) if (id !== mission && id !== other) await missions.remove(userId, id);
  await missions.remove(userId, other);
  expect((await whole(add(mission))).mission_points).toHaveLength(4);
});

test("a label has at most 200 characters, and a longer one of an earlier release is read, kept and deleted", async () => {
  const { newUser, deps } = await startTestGateway();
  const { id: owner, api } = await newUser();
  const [mission] = await insertMissions(deps.db, owner, {
    plans: 1,
    pointsEach: 2,
    label: "x".repeat(1_000),
  });
  const read = await api.get(`/mission/${mission}`);
  expect(read.body.mission_points[0].label).toHaveLength(1_000);
  const point = `/mission/point/${read.body.mission_points[0].id}`;
  const changed = await api.patch(point, { altitude: 99 });
  expect(changed.body.mission_points[0]).toMatchObject({ altitude: 99, label: "x".repeat(1_000) });
  expect(await api.patch(point, { label: "x".repeat(201) })).toMatchObject({
    status: 500,
    body: { error: "label: must have at most 200 characters" },
  });
  const batch = [{ id: read.body.mission_points[1].id, label: "x".repeat(201) }];
  expect((await api.patch(`/mission/${mission}/points`, batch)).status).toBe(500);
  const long = { ...missionPoint, mission_id: mission, label: "x".repeat(201) };
  expect((await api.post("/mission/point", [long])).status).toBe(500);
  expect((await api.post("/mission/point", [{ ...long, label: "x".repeat(200) }])).status).toBe(201);
  expect((await api.delete(point)).body.mission_points).toHaveLength(2);
});

test("a mission takes 2,000 points, changed as one batch with labels of full length, and no more", async () => {
  const { newUser, deps } = await startTestGateway();
  const { id: owner, api } = await newUser();
  const [mission] = await insertMissions(deps.db, owner, { plans: 1, pointsEach: 2_000 });
  const one = { ...missionPoint, mission_id: mission };
  expect(await api.post("/mission/point", [one])).toMatchObject({
    status: 500,
    body: { error: "A mission has 2000 points at most; create another one." },
  });
  const { mission_points } = (await api.get(`/mission/${mission}`)).body;
  const rows = mission_points.map(({ mission_id: _, ...point }: { mission_id: number }) => ({
    ...point,
    label: "y".repeat(200),
  }));
  const changed = await api.patch(`/mission/${mission}/points`, rows);
  expect(changed.status).toBe(201);
  expect(changed.body.mission_points.at(-1).label).toBe("y".repeat(200));
});

test("a mission over the limit is answered as an invalid one", async () => {
  const { newUser, deps } = await startTestGateway();
  const { id, api } = await newUser();
  await insertMissions(deps.db, id, { plans: PLAN_LIMITS.plans });
  expect(await api.post("/mission", { name: "one more" })).toMatchObject({
    status: 500,
    body: { error: "You have 1000 missions, which is the most; delete old ones." },
  });
  // Geofences are counted by themselves.
  expect((await api.post("/geofence", { name: "field", type: "polygon" })).status).toBe(201);
});
