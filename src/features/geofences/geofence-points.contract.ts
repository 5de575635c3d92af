import type { ContractCase } from "../../testing/contract";
import { geofencePoint, storeGeofence } from "../../testing/worlds/plans";

const defaults = { frame: 3, param1: 0, param2: 0, param3: 0, param4: 0 };
const refusal = { error: expect.any(String) };

export const geofencePointsContract: readonly ContractCase[] = [
  {
    route: "POST /geofence/:geofence_id/points",
    title: "answers 201 with the geofence, whose points are those of the array, in its order",
    run: async ({ user, otherUser }) => {
      const { id } = await storeGeofence(user.api);
      const path = `/geofence/${id}/points`;
      const rows = [0, 1, 2, 3].map((corner) => ({ lat: 47 + corner / 100, lng: 8, command: 5001 }));
      const reply = await user.api.post(path, rows);
      expect(reply.status).toBe(201);
      expect(reply.body.geofence_points).toMatchObject(
        rows.map((row, index) => ({ ...row, sequence: index + 1, geofence_id: id })),
      );
      expect(await user.api.post(path, [{ lat: 47, lng: 8 }])).toMatchObject({ status: 500, body: refusal });
      expect(await otherUser.api.post(path, rows)).toMatchObject({ status: 404, body: refusal });
      expect((await user.api.get(`/geofence/${id}`)).body).toEqual(reply.body);
    },
  },
  {
    route: "POST /geofence/point",
    title: "answers 201 with the whole geofence and the point's defaults; only the first point is stored",
    run: async ({ user }) => {
      const { body } = await user.api.post("/geofence", { name: "field", type: "polygon" });
      const point = { ...geofencePoint, geofence_id: body.id };
      const reply = await user.api.post("/geofence/point", [point, { ...point, sequence: 2 }, "nonsense"]);
      expect(reply.status).toBe(201);
      const stored = { id: expect.any(Number), ...point, ...defaults };
      expect(reply.body).toEqual({ ...body, geofence_points: [stored] });
    },
  },
  {
    route: "POST /geofence/point",
    title: "stores every column it is given",
    run: async ({ user }) => {
      const { body } = await user.api.post("/geofence", { name: "pond", type: "circle" });
      const position = {
        geofence_id: body.id,
        lat: -12.25,
        lng: -179.5,
        sequence: 0,
        command: 5003,
        frame: 0,
      };
      const point = { ...position, param1: 25.5, param2: 2, param3: 3, param4: 4 };
      const reply = await user.api.post("/geofence/point", [point]);
      expect(reply.body.geofence_points).toEqual([{ id: expect.any(Number), ...point }]);
    },
  },
  {
    route: "POST /geofence/point",
    title: "answers an absent, invalid or unknown field with 500 and its name, and stores nothing",
    run: async ({ user }) => {
      const { body } = await user.api.post("/geofence", { name: "field", type: "polygon" });
      const good = { ...geofencePoint, geofence_id: body.id };
      const wrong: [string, unknown][] = [
        ...Object.keys(good).flatMap((key): [string, unknown][] => [
          [key, undefined],
          [key, null],
        ]),
        ["lat", -90.5],
        ["lng", 181],
        ["command", "inclusion"],
        ["param1", "25"],
        ["altitude", 30],
        ["order", 1],
      ];
      for (const [key, value] of wrong) {
        const reply = await user.api.post("/geofence/point", [{ ...good, [key]: value }]);
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining(key) } });
      }
      for (const points of [undefined, [], {}, good, [null]])
        expect(await user.api.post("/geofence/point", points)).toMatchObject({ status: 500, body: refusal });
      expect((await user.api.get(`/geofence/${body.id}`)).body.geofence_points).toEqual([]);
    },
  },
  {
    route: "POST /geofence/point",
    title: "answers 404 for a geofence that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(otherUser.api);
      for (const geofence_id of [id, 2_000_000_000])
        expect(await user.api.post("/geofence/point", [{ ...geofencePoint, geofence_id }])).toMatchObject({
          status: 404,
          body: refusal,
        });
      expect((await otherUser.api.get(`/geofence/${id}`)).body.geofence_points).toEqual(points);
    },
  },
  {
    route: "PATCH /geofence/point/:point_id",
    title: "answers 200 with the whole geofence, changed in the named fields only",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      const before = (await user.api.get(`/geofence/${id}`)).body;
      const change = { lat: 1, lng: 2, command: 5001, param1: 3 };
      const reply = await user.api.patch(`/geofence/point/${points[1]?.id}`, change);
      expect(reply.status).toBe(200);
      const geofence_points = [points[0], { ...points[1], ...change }, points[2]];
      expect(reply.body).toEqual({ ...before, geofence_points });
    },
  },
  {
    route: "PATCH /geofence/point/:point_id",
    title: "answers an unknown key or a wrong value with 500, and changes nothing",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      const path = `/geofence/point/${points[0]?.id}`;
      const wrong = { order: 5, altitude: 5, id: 5, geofence_id: id, lat: 91, command: null, frame: -1 };
      for (const [key, value] of Object.entries(wrong)) {
        const reply = await user.api.patch(path, { param2: 99, [key]: value });
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining(key) } });
      }
      expect((await user.api.get(path)).body).toEqual(points[0]);
    },
  },
  {
    route: "PATCH /geofence/point/:point_id",
    title: "answers 404 for a point that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { points } = await storeGeofence(otherUser.api);
      for (const point of [points[0]?.id, 2_000_000_000])
        expect(await user.api.patch(`/geofence/point/${point}`, { lat: 1 })).toMatchObject({
          status: 404,
          body: refusal,
        });
      expect((await otherUser.api.get(`/geofence/point/${points[0]?.id}`)).body).toEqual(points[0]);
    },
  },
  {
    route: "GET /geofence/point/:point_id",
    title: "answers 200 with the point, and 404 for one that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { points } = await storeGeofence(user.api);
      const path = `/geofence/point/${points[2]?.id}`;
      const reply = await user.api.get(path);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual(points[2]);
      expect(await otherUser.api.get(path)).toMatchObject({ status: 404, body: refusal });
      expect((await user.api.get("/geofence/point/2000000000")).status).toBe(404);
    },
  },
  {
    route: "DELETE /geofence/point/:point_id",
    title: "answers 200 with the whole geofence without the point, and 404 for another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(user.api);
      const before = (await user.api.get(`/geofence/${id}`)).body;
      const path = `/geofence/point/${points[1]?.id}`;
      expect(await otherUser.api.delete(path)).toMatchObject({ status: 404, body: refusal });
      const reply = await user.api.delete(path);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ ...before, geofence_points: [points[0], points[2]] });
      expect((await user.api.delete(path)).status).toBe(404);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id/points",
    title: "answers 200 with the whole geofence, every row changed, in the new order",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      const reply = await user.api.patch(`/geofence/${id}/points`, [
        { id: points[0]?.id, sequence: 9, lat: 1, lng: 2, frame: 0 },
        { id: points[1]?.id, command: 5001, param1: 1, param2: 2, param3: 3, param4: 4 },
      ]);
      expect(reply.status).toBe(200);
      expect(reply.body.geofence_points).toEqual([
        { ...points[1], command: 5001, param1: 1, param2: 2, param3: 3, param4: 4 },
        points[2],
        { ...points[0], sequence: 9, lat: 1, lng: 2, frame: 0 },
      ]);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id/points",
    title: "answers one bad row, unknown key or foreign point with 500, and changes no row",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(user.api);
      const other = await storeGeofence(user.api, "other");
      const theirs = await storeGeofence(otherUser.api);
      const second = points[1]?.id;
      const bad: object[] = [
        { id: second, altitude: 2 },
        { id: second, type: "fly" },
        { id: second, geofence_id: id },
        { id: second, lng: 200 },
        { sequence: 2 },
        { id: other.points[0]?.id, sequence: 2 },
        { id: theirs.points[0]?.id, sequence: 2 },
      ];
      for (const row of bad) {
        const batch = [{ id: points[0]?.id, param2: 99 }, row];
        const reply = await user.api.patch(`/geofence/${id}/points`, batch);
        expect({ row, reply }).toMatchObject({ reply: { status: 500, body: refusal } });
      }
      expect((await user.api.get(`/geofence/${id}`)).body.geofence_points).toEqual(points);
      expect((await otherUser.api.get(`/geofence/${theirs.id}`)).body.geofence_points).toEqual(theirs.points);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id/points",
    title: "answers 404 for a geofence that is missing or another's, and changes nothing",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(otherUser.api);
      for (const other of [id, 2_000_000_000])
        expect(
          await user.api.patch(`/geofence/${other}/points`, [{ id: points[0]?.id, param2: 99 }]),
        ).toMatchObject({ status: 404, body: refusal });
      expect((await otherUser.api.get(`/geofence/${id}`)).body.geofence_points).toEqual(points);
    },
  },
];
