import type { ApiClient } from "../../testing/client";
import type { ContractCase } from "../../testing/contract";
import { missionPoint, storeMission } from "../../testing/worlds/plans";

const defaults = {
  label: null,
  frame: 3,
  command: 16,
  is_current: false,
  autocontinue: true,
  param1: 0,
  param2: 0,
  param3: 0,
  param4: 0,
};
const refusal = { error: expect.any(String) };
const storeEmpty = async (api: ApiClient): Promise<{ id: number }> =>
  (await api.post("/mission", { name: "survey" })).body;

export const missionPointsContract: readonly ContractCase[] = [
  {
    route: "POST /mission/:mission_id/points",
    title: "answers 201 with the mission, whose points are those of the array, in its order",
    run: async ({ user, otherUser }) => {
      const { id } = await storeMission(user.api);
      const { sequence: _, ...point } = missionPoint;
      const path = `/mission/${id}/points`;
      const rows = [20, 30, 40].map((altitude) => ({ ...point, altitude }));
      const reply = await user.api.post(path, rows);
      expect(reply.status).toBe(201);
      expect(reply.body.mission_points).toEqual(
        rows.map((row, index) => ({
          ...{ ...defaults, ...row, sequence: index + 1 },
          ...{ id: expect.any(Number), mission_id: id },
        })),
      );
      expect(await otherUser.api.post(path, rows)).toMatchObject({ status: 404, body: refusal });
      expect((await user.api.post(path, [])).body.mission_points).toEqual([]);
    },
  },
  {
    route: "POST /mission/:mission_id/points",
    title: "stores none when one does not fit, and keeps those that it had",
    run: async ({ user }) => {
      const { id } = await storeMission(user.api);
      const before = (await user.api.get(`/mission/${id}`)).body;
      const bad = [{ lat: 91 }, { mission_id: id }, { speed: 3 }, { altitude: "high" }];
      for (const fault of bad) {
        const reply = await user.api.post(`/mission/${id}/points`, [
          missionPoint,
          { ...missionPoint, ...fault },
        ]);
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringMatching(/^1\b/) } });
      }
      const many = Array.from({ length: 2_001 }, () => ({ ...missionPoint, lat: 1, lng: 1 }));
      expect(await user.api.post(`/mission/${id}/points`, many)).toMatchObject({ status: 500 });
      expect((await user.api.get(`/mission/${id}`)).body).toEqual(before);
    },
  },
  {
    route: "POST /mission/point",
    title: "answers 201 with the whole mission and the point's defaults",
    run: async ({ user }) => {
      const { id } = await storeEmpty(user.api);
      const reply = await user.api.post("/mission/point", [{ ...missionPoint, mission_id: id }]);
      expect(reply.status).toBe(201);
      const point = { ...missionPoint, ...defaults, id: expect.any(Number), mission_id: id };
      expect(reply.body).toEqual({ id, name: "survey", mission_points: [point] });
    },
  },
  {
    route: "POST /mission/point",
    title: "stores every column it is given",
    run: async ({ user }) => {
      const { id } = await storeEmpty(user.api);
      const point = {
        mission_id: id,
        ...{ lat: -90, lng: 180, altitude: 12.5, type: "safepoint", sequence: -4, label: "gate", frame: 0 },
        ...{ command: 22, is_current: true, autocontinue: false },
        ...{ param1: 1.5, param2: -2, param3: 0.1, param4: 270 },
      };
      const reply = await user.api.post("/mission/point", [point]);
      expect(reply.body.mission_points).toEqual([{ id: expect.any(Number), ...point }]);
    },
  },
  {
    route: "POST /mission/point",
    title: "takes a yaw of null, which leaves it to the vehicle",
    run: async ({ user }) => {
      const { id } = await storeEmpty(user.api);
      const point = { ...missionPoint, mission_id: id, param4: null };
      const reply = await user.api.post("/mission/point", [point]);
      expect(reply).toMatchObject({ status: 201, body: { mission_points: [point] } });
      const pointId = reply.body.mission_points[0].id;
      const changed = await user.api.patch(`/mission/point/${pointId}`, { param4: 90 });
      expect(changed.body.mission_points[0].param4).toBe(90);
      expect((await user.api.patch(`/mission/point/${pointId}`, { param4: null })).body).toEqual(reply.body);
      expect((await user.api.post("/mission/point", [{ ...point, param3: null }])).status).toBe(500);
    },
  },
  {
    route: "POST /mission/point",
    title: "stores only the first of several points, whatever the others are",
    run: async ({ user }) => {
      const { id } = await storeEmpty(user.api);
      const first = { ...missionPoint, mission_id: id };
      const reply = await user.api.post("/mission/point", [first, { ...first, sequence: 2 }, "nonsense"]);
      expect(reply.status).toBe(201);
      expect(reply.body.mission_points).toHaveLength(1);
      expect(reply.body.mission_points[0].sequence).toBe(1);
    },
  },
  {
    route: "POST /mission/point",
    title: "answers an absent or invalid field with 500 and its name, and stores nothing",
    run: async ({ user }) => {
      const { id } = await storeEmpty(user.api);
      const good = { ...missionPoint, mission_id: id };
      const wrong: [string, object][] = [
        ...Object.keys(good).map((key): [string, object] => [key, { ...good, [key]: undefined }]),
        ...Object.keys(good).map((key): [string, object] => [key, { ...good, [key]: null }]),
        ["lat", { ...good, lat: 90.1 }],
        ["lng", { ...good, lng: -180.1 }],
        ["lat", { ...good, lat: "47.1" }],
        ["altitude", { ...good, altitude: 1e300 }],
        ["type", { ...good, type: "hover" }],
        ["sequence", { ...good, sequence: 1.5 }],
        ["sequence", { ...good, sequence: 3_000_000_000 }],
        ["command", { ...good, command: "takeoff" }],
        ["param2", { ...good, param2: null }],
        ["order", { ...good, sequence: undefined, order: 1 }],
        ["sequence", { ...good, sequence: undefined, order: 1 }],
      ];
      for (const [key, point] of wrong) {
        const reply = await user.api.post("/mission/point", [point]);
        expect({ key, status: reply.status, error: reply.body.error }).toEqual({
          key,
          status: 500,
          error: expect.stringContaining(key),
        });
      }
      for (const body of [undefined, [], {}, good, [null], ["point"]])
        expect(await user.api.post("/mission/point", body)).toMatchObject({ status: 500, body: refusal });
      expect((await user.api.get(`/mission/${id}`)).body.mission_points).toEqual([]);
    },
  },
  {
    route: "POST /mission/point",
    title: "answers 404 for a mission that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id } = await storeEmpty(otherUser.api);
      for (const mission_id of [id, 2_000_000_000]) {
        const reply = await user.api.post("/mission/point", [{ ...missionPoint, mission_id }]);
        expect(reply).toMatchObject({ status: 404, body: refusal });
      }
      expect((await otherUser.api.get(`/mission/${id}`)).body.mission_points).toEqual([]);
    },
  },
  {
    route: "PATCH /mission/point/:mission_point_id",
    title: "answers 201 with the whole mission, changed in the named fields only",
    run: async ({ user }) => {
      const { id, points } = await storeMission(user.api);
      const change = { lat: 1, lng: 2, altitude: 3, type: "base", label: "pad", command: 21, param1: 4 };
      const reply = await user.api.patch(`/mission/point/${points[1]?.id}`, change);
      expect(reply.status).toBe(201);
      const expected = [points[0], { ...points[1], ...change }, points[2]];
      expect(reply.body).toEqual({ id, name: "survey", mission_points: expected });
      const again = await user.api.patch(`/mission/point/${points[1]?.id}`, {});
      expect(again).toMatchObject({ status: 201, body: { mission_points: expected } });
    },
  },
  {
    route: "PATCH /mission/point/:mission_point_id",
    title: "answers an unknown key, another mission's id or a wrong value with 500, and changes nothing",
    run: async ({ user }) => {
      const { id, points } = await storeMission(user.api);
      const path = `/mission/point/${points[0]?.id}`;
      const wrong = { order: 5, id: 5, mission_id: id, lat: 91, sequence: null, type: "hover" };
      for (const [key, value] of Object.entries(wrong)) {
        const reply = await user.api.patch(path, { altitude: 99, [key]: value });
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining(key) } });
      }
      expect((await user.api.get(path)).body).toEqual(points[0]);
    },
  },
  {
    route: "PATCH /mission/point/:mission_point_id",
    title: "answers 404 for a point that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { points } = await storeMission(otherUser.api);
      for (const point of [points[0]?.id, 2_000_000_000, "abc"])
        for (const change of [{ lat: 1 }, {}])
          expect(await user.api.patch(`/mission/point/${point}`, change)).toMatchObject({
            status: 404,
            body: refusal,
          });
      expect((await otherUser.api.get(`/mission/point/${points[0]?.id}`)).body).toEqual(points[0]);
    },
  },
  {
    route: "GET /mission/point/:mission_point_id",
    title: "answers 200 with the point, and 404 for one that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { points } = await storeMission(user.api);
      const path = `/mission/point/${points[2]?.id}`;
      const reply = await user.api.get(path);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual(points[2]);
      expect(await otherUser.api.get(path)).toMatchObject({ status: 404, body: refusal });
      expect((await user.api.get("/mission/point/2000000000")).status).toBe(404);
      expect((await user.api.get("/mission/point/99999999999999")).status).toBe(404);
    },
  },
  {
    route: "DELETE /mission/point/:mission_point_id",
    title: "answers 201 with the whole mission without the point, and 404 for another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeMission(user.api);
      const path = `/mission/point/${points[1]?.id}`;
      expect(await otherUser.api.delete(path)).toMatchObject({ status: 404, body: refusal });
      const reply = await user.api.delete(path);
      expect(reply.status).toBe(201);
      expect(reply.body).toEqual({ id, name: "survey", mission_points: [points[0], points[2]] });
      expect((await user.api.delete(path)).status).toBe(404);
    },
  },
  {
    route: "PATCH /mission/:mission_id/points",
    title: "answers 201 with the whole mission, every row changed, in the new order",
    run: async ({ user }) => {
      const { id, points } = await storeMission(user.api);
      const [first, second, third] = points.map((point) => point.id);
      const reply = await user.api.patch(`/mission/${id}/points`, [
        { id: third, sequence: 0, label: "now first" },
        { id: first, ...{ lat: 5, lng: 6, altitude: 7, type: "base", label: null, sequence: 9, frame: 0 } },
        { id: second, ...{ command: 22, param1: 1, param2: 2, param3: 3, param4: 4 }, is_current: true },
      ]);
      expect(reply.status).toBe(201);
      expect(reply.body.mission_points).toEqual([
        { ...points[2], sequence: 0, label: "now first" },
        { ...points[1], command: 22, param1: 1, param2: 2, param3: 3, param4: 4, is_current: true },
        { ...points[0], lat: 5, lng: 6, altitude: 7, type: "base", sequence: 9, frame: 0 },
      ]);
    },
  },
  {
    route: "PATCH /mission/:mission_id/points",
    title: "answers one bad row, unknown key or foreign point with 500, and changes no row",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeMission(user.api);
      const other = await user.api.post("/mission", { name: "other" });
      const elsewhere = await user.api.post("/mission/point", [
        { ...missionPoint, mission_id: other.body.id },
      ]);
      const theirs = await storeMission(otherUser.api);
      const second = points[1]?.id;
      const bad: object[] = [
        { id: second, order: 2 },
        { id: second, mission_id: id },
        { id: second, lat: -91 },
        { id: second, sequence: null },
        { id: second, type: "hover" },
        { sequence: 2 },
        { id: 2_000_000_000, sequence: 2 },
        { id: elsewhere.body.mission_points[0].id, sequence: 2 },
        { id: theirs.points[0]?.id, sequence: 2 },
        { id: points[0]?.id, sequence: 2 },
      ];
      for (const row of bad) {
        const batch = [{ id: points[0]?.id, altitude: 99 }, row];
        const reply = await user.api.patch(`/mission/${id}/points`, batch);
        expect({ row, reply }).toMatchObject({ reply: { status: 500, body: refusal } });
      }
      for (const body of [undefined, {}, { id: second, lat: 1 }, [null]])
        expect((await user.api.patch(`/mission/${id}/points`, body)).status).toBe(500);
      expect((await user.api.get(`/mission/${id}`)).body.mission_points).toEqual(points);
      expect((await otherUser.api.get(`/mission/${theirs.id}`)).body.mission_points).toEqual(theirs.points);
    },
  },
  {
    route: "PATCH /mission/:mission_id/points",
    title: "answers 404 for a mission that is missing or another's, and changes nothing",
    run: async ({ user, otherUser }) => {
      const theirs = await storeMission(otherUser.api);
      const batch = [{ id: theirs.points[0]?.id, altitude: 99 }];
      for (const id of [theirs.id, 2_000_000_000])
        expect(await user.api.patch(`/mission/${id}/points`, batch)).toMatchObject({
          status: 404,
          body: refusal,
        });
      expect((await otherUser.api.get(`/mission/${theirs.id}`)).body.mission_points).toEqual(theirs.points);
    },
  },
];
