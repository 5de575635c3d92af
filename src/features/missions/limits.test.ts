import type { Db } from "../../platform/postgres/db";
import { openDatabase } from "../../platform/postgres/db";
import { freshDatabase } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { insertMissions, missionPoint } from "../../testing/worlds/plans";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { addUser } from "../accounts";
import { PLAN_LIMITS } from "../plans";
import type { Mission } from "./missions.schema";
import { MissionService } from "./missions.service";

const limits = { plans: 3, pointsOfPlan: 4, points: 6, textBytes: 1_000 };

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
  return (await addUser(db, { username, password_hash: "none", level: null, active: true })).id;
}

const insert = (plans: number, pointsEach = 0, label?: string) =>
  insertMissions(db, userId, { plans, pointsEach, label });

/** What such a change returned. */
const whole = async (json: Promise<string>): Promise<Mission> => JSON.parse(await json);

const list = async (): Promise<Mission[]> => JSON.parse([...(await missions.listJson(userId))].join(""));

const add = (mission_id: number | undefined, label?: string) =>
  missions.addPoint(userId, mission_id as number, {
    ...(missionPoint as typeof missionPoint & { type: "fly" }),
    mission_id: mission_id as number,
    ...(label === undefined ? {} : { label }),
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
  const words = "You have 3 missions, and no more are kept: delete old ones.";
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
  const words = "A mission has 4 points at most: begin another one.";
  expect(await taken([add(mission), add(mission), add(mission)], words)).toBe(1);
});

test("of points added to two missions at once the last that all have room for is kept", async () => {
  const [first, second] = await insert(2, 2);
  await insert(1, 1);
  const words = "Your missions have 6 points together, and no more are kept: delete old missions.";
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

describe("the labels of all points together", () => {
  const words = "The labels of your missions have 1000 bytes together, and no more are kept: shorten them.";
  /** As JSON, with its quotes. */
  const label = (bytes: number) => "x".repeat(bytes - 2);

  test("are bounded, however they come", async () => {
    const [mission] = (await insert(2, 1, label(500))) as [number];
    const [point] = (await missions.get(userId, mission)).mission_points;
    const id = point?.id as number;
    const longer = { label: label(501) };
    const begun = [
      add(mission, label(101)),
      missions.changePoint(userId, id, longer),
      missions.changePoints(userId, mission, [{ id, ...longer }]),
    ];
    expect(await taken(begun, words)).toBe(0);
    expect((await whole(add(mission, "short"))).mission_points).toHaveLength(2);
    expect((await whole(missions.changePoint(userId, id, { label: '"\n' }))).mission_points).toMatchObject([
      { label: '"\n' },
      { label: "short" },
    ]);
  });

  test("are counted together where they come at once to different missions", async () => {
    const [first, second] = await insert(2, 1, label(200));
    expect(await taken([add(first, label(400)), add(second, label(400))], words)).toBe(1);
  });

  test("may become shorter where they are too much already", async () => {
    const [mission] = (await insert(1, 3, label(900))) as [number];
    const [first, second] = (await missions.get(userId, mission)).mission_points;
    await missions.changePoint(userId, first?.id as number, { label: label(800) });
    await missions.changePoints(userId, mission, [{ id: second?.id as number, label: "short" }]);
    expect(await taken([add(mission, label(101))], words)).toBe(0);
  });
});

test("a caller is told in the words and with the status of a bad mission", async () => {
  const { newUser, deps } = await startTestGateway();
  const { id, api } = await newUser();
  await insertMissions(deps.db, id, { plans: PLAN_LIMITS.plans });
  expect(await api.post("/mission", { name: "one more" })).toMatchObject({
    status: 500,
    body: { error: "You have 1000 missions, and no more are kept: delete old ones." },
  });
  // Geofences are counted by themselves.
  expect((await api.post("/geofence", { name: "field", type: "polygon" })).status).toBe(201);
});
