import { setTimeout as delay } from "node:timers/promises";
import { storeMission } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { missionForUpload } from ".";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const sequences = (mission: { mission_points: { sequence: number }[] }) =>
  mission.mission_points.map(({ sequence }) => sequence);

async function someoneWaitsForALock(): Promise<void> {
  const waiting = gateway.deps
    .db("pg_stat_activity")
    .where({ wait_event_type: "Lock" })
    .andWhereRaw("datname = current_database()");
  for (let tries = 0; !(await waiting.clone().first("pid")); tries++) {
    if (tries > 500) throw new Error("Nobody waits for a lock.");
    await delay(10);
  }
}

test("points come in the order of their sequence, then of their ids, however they were stored", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api, 'a "quoted" \\ näme');
  const [first, second, third] = points.map((point) => point.id);
  await api.patch(`/mission/point/${first}`, { sequence: 7 });
  await api.patch(`/mission/point/${third}`, { sequence: -1 });
  const { body } = await api.patch(`/mission/point/${second}`, { sequence: 7 });
  const expected = [third, first, second];
  expect(body.mission_points.map((point: { id: number }) => point.id)).toEqual(expected);
  const [listed] = (await api.get("/missions")).body;
  expect(listed).toEqual(body);
  expect((await api.get(`/mission/${id}`)).body).toEqual(body);
});

test("numbers come back as they were sent, to the last digit", async () => {
  const { api } = await gateway.newUser();
  const { points } = await storeMission(api);
  const exact = { lat: 47.1 + 1e-13, lng: -0.1 - 0.2, altitude: 1e-7, param1: 1 / 3, param4: -1e20 };
  const path = `/mission/point/${points[0]?.id}`;
  await api.patch(path, exact);
  expect((await api.get(path)).body).toMatchObject(exact);
  const { body } = await api.patch(`/mission/point/${points[1]?.id}`, {});
  expect(body.mission_points[0]).toMatchObject(exact);
});

test("a batch keeps the exact values of the columns it does not name", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const exact = { lat: 47.1 + 1e-13, lng: -0.1 - 0.2, label: 'a "label"\n \\ ü', is_current: true };
  await api.patch(`/mission/point/${points[0]?.id}`, exact);
  const { body } = await api.patch(`/mission/${id}/points`, [{ id: points[0]?.id, altitude: 5 }]);
  expect(body.mission_points[0]).toEqual({ ...points[0], ...exact, altitude: 5 });
});

test("of two missions made at once under one name, one is refused", async () => {
  const { api } = await gateway.newUser();
  const replies = await Promise.all(Array.from({ length: 8 }, () => api.post("/mission", { name: "race" })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(500)]);
  expect((await api.get("/missions")).body).toHaveLength(1);
});

test("points added at once are all kept", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const { id: _, ...columns } = points[0] as { id: number };
  const added = Array.from({ length: 12 }, (_, index) => ({ ...columns, sequence: 10 + index }));
  const replies = await Promise.all(added.map((point) => api.post("/mission/point", [point])));
  expect(replies.every(({ status }) => status === 201)).toBe(true);
  const { body } = await api.get(`/mission/${id}`);
  expect(sequences(body)).toEqual([1, 2, 3, ...added.map(({ sequence }) => sequence)]);
});

test("batches and single changes at once lose none of each other's columns", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const ids = points.map((point) => point.id);
  const batch = (change: object, of: number[]) =>
    api.patch(
      `/mission/${id}/points`,
      of.map((point) => ({ id: point, ...change })),
    );
  const replies = await Promise.all([
    batch({ altitude: 99 }, ids),
    batch({ label: "both" }, ids.toReversed()),
    batch({ param1: 5 }, ids),
    ...ids.map((point) => api.patch(`/mission/point/${point}`, { lat: 1 })),
    ...ids.map((point) => api.patch(`/mission/point/${point}`, { lng: 2 })),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  const { body } = await api.get(`/mission/${id}`);
  const change = { altitude: 99, label: "both", param1: 5, lat: 1, lng: 2 };
  expect(body.mission_points).toEqual(points.map((point) => ({ ...point, ...change })));
});

test("a batch waits for a change that is under way, and keeps it", async () => {
  const { db } = gateway.deps;
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const point = points[0]?.id;
  const underWay = await db.transaction();
  await underWay("mission_points").where({ id: point }).update({ lat: 1 });
  const batch = api.patch(`/mission/${id}/points`, [{ id: point, altitude: 99 }]);
  await someoneWaitsForALock();
  await underWay.commit();
  expect((await batch).body.mission_points[0]).toEqual({ ...points[0], lat: 1, altitude: 99 });
});

test("of replacements at once of what all of them read, one is stored and the others are refused", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const tag = (await api.get(`/mission/${id}`)).headers.get("ETag") as string;
  const { id: _, mission_id: __, ...columns } = points[0] as { id: number; mission_id?: number };
  const replies = await Promise.all(
    [1, 2, 3, 4].map((altitude) =>
      api
        .with({ "If-Match": tag })
        .put(`/mission/${id}`, { name: "survey", mission_points: [{ ...columns, altitude }] }),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412]);
  const stored = replies.find(({ status }) => status === 201);
  expect((await api.get(`/mission/${id}`)).body).toEqual(stored?.body);
});

test("a replacement waits for a change of a point that is under way, and is refused", async () => {
  const { db } = gateway.deps;
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const path = `/mission/${id}`;
  const tag = (await api.get(path)).headers.get("ETag") as string;
  const underWay = await db.transaction();
  await underWay("mission_points").where({ id: points[0]?.id }).update({ lat: 1 });
  const replacement = api.with({ "If-Match": tag }).put(path, { name: "survey", mission_points: [] });
  await someoneWaitsForALock();
  await underWay.commit();
  expect((await replacement).status).toBe(412);
  expect((await api.get(path)).body.mission_points).toEqual([{ ...points[0], lat: 1 }, ...points.slice(1)]);
});

test("a mission deleted while points are added leaves no points, and each reply is true", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const { id: _, ...columns } = points[0] as { id: number };
  const [deleted, ...added] = await Promise.all([
    api.delete(`/mission/${id}`),
    ...Array.from({ length: 6 }, () => api.post("/mission/point", [columns])),
  ]);
  expect(deleted?.status).toBe(200);
  for (const { status } of added) expect([201, 404]).toContain(status);
  expect(await gateway.deps.db("mission_points").where({ mission_id: id })).toEqual([]);
});

test("a mission of five hundred points is changed in one batch", async () => {
  const { api } = await gateway.newUser();
  const { id, points } = await storeMission(api);
  const { id: _, ...columns } = points[0] as { id: number };
  const rows = Array.from({ length: 497 }, (_, index) => ({ ...columns, sequence: index + 4 }));
  await gateway.deps.db("mission_points").insert(rows);
  const all: { id: number; sequence: number }[] = (await api.get(`/mission/${id}`)).body.mission_points;
  const reversed = all.map((point) => ({ id: point.id, sequence: -point.sequence }));
  const { status, body } = await api.patch(`/mission/${id}/points`, reversed);
  expect(status).toBe(201);
  expect(body.mission_points.map((point: { id: number }) => point.id)).toEqual(
    all.map((point) => point.id).toReversed(),
  );
});

test("an upload reads the user's mission in order, and no other user's", async () => {
  const { db } = gateway.deps;
  const user = await gateway.newUser();
  const otherUser = await gateway.newUser();
  const { id, points } = await storeMission(user.api);
  await user.api.patch(`/mission/point/${points[0]?.id}`, { sequence: 9 });
  const mission = await missionForUpload(db, user.id, id);
  expect(mission).toEqual((await user.api.get(`/mission/${id}`)).body);
  expect(sequences(mission)).toEqual([2, 3, 9]);
  await expect(missionForUpload(db, otherUser.id, id)).rejects.toMatchObject({ code: "not_found" });
});
