import type { ContractCase } from "../../testing/contract";
import { geofencePoint, storeGeofence } from "../../testing/worlds/plans";

const refusal = { error: expect.any(String) };
const created = { fence_type: "exclusion", enabled: true };

export const geofencesContract: readonly ContractCase[] = [
  {
    route: "POST /geofence",
    title: "answers 201 with a geofence without points, an enabled exclusion by default",
    run: async ({ user }) => {
      const reply = await user.api.post("/geofence", { name: "field", type: "polygon" });
      expect(reply.status).toBe(201);
      const id = expect.any(Number);
      expect(reply.body).toEqual({ id, name: "field", type: "polygon", ...created, geofence_points: [] });
      const given = { name: "pond", type: "circle", fence_type: "inclusion", enabled: false };
      const second = await user.api.post("/geofence", given);
      expect(second.body).toEqual({ id, ...given, geofence_points: [] });
    },
  },
  {
    route: "POST /geofence",
    title: "answers an absent, invalid or unknown field with 500 and its name, and stores nothing",
    run: async ({ user }) => {
      const good = { name: "field", type: "polygon" };
      const wrong = { name: undefined, type: "square", fence_type: "both", enabled: "yes", fence_typ: "x" };
      for (const [key, value] of Object.entries(wrong)) {
        const reply = await user.api.post("/geofence", { ...good, [key]: value });
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining(key) } });
      }
      expect((await user.api.post("/geofence", { name: "no type" })).status).toBe(500);
      expect((await user.api.post("/geofence")).status).toBe(500);
      expect((await user.api.get("/geofences")).body).toEqual([]);
    },
  },
  {
    route: "POST /geofence",
    title: "answers a duplicate name with 500 and words a person understands, per user",
    run: async ({ user, otherUser }) => {
      const geofence = { name: "twice", type: "circle" };
      await user.api.post("/geofence", geofence);
      const reply = await user.api.post("/geofence", geofence);
      expect(reply.status).toBe(500);
      expect(reply.body).toEqual({ error: "You already have a geofence with this name; choose another." });
      expect((await otherUser.api.post("/geofence", geofence)).status).toBe(201);
    },
  },
  {
    route: "GET /geofences",
    title: "answers 200 with the caller's geofences and their points in order",
    run: async ({ user, otherUser }) => {
      expect((await user.api.get("/geofences")).body).toEqual([]);
      const { id, points } = await storeGeofence(user.api);
      await storeGeofence(otherUser.api);
      const reply = await user.api.get("/geofences");
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual([
        { id, name: "field", type: "polygon", ...created, geofence_points: points },
      ]);
    },
  },
  {
    route: "GET /geofences",
    title: "answers a failure with 500",
    run: async ({ user, gateway: { deps } }) => {
      await deps.db.raw("ALTER TABLE geofences RENAME TO geofences_away");
      try {
        expect(await user.api.get("/geofences")).toMatchObject({ status: 500, body: refusal });
      } finally {
        await deps.db.raw("ALTER TABLE geofences_away RENAME TO geofences");
      }
      expect((await user.api.get("/geofences")).status).toBe(200);
    },
  },
  {
    route: "GET /geofence/:geofence_id",
    title: "answers 200 with the geofence and its points, and 404 for one that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(user.api);
      const reply = await user.api.get(`/geofence/${id}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({
        id,
        name: "field",
        type: "polygon",
        ...created,
        geofence_points: points,
      });
      expect(await otherUser.api.get(`/geofence/${id}`)).toMatchObject({ status: 404, body: refusal });
      for (const other of ["2000000000", "abc"])
        expect((await user.api.get(`/geofence/${other}`)).status).toBe(404);
    },
  },
  {
    route: "PUT /geofence/:geofence_id",
    title: "answers 200 with the geofence, replaced with all its points",
    run: async ({ user, otherUser }) => {
      const { id } = await storeGeofence(user.api);
      const { sequence: _, ...point } = geofencePoint;
      const fields = { name: "pond", type: "circle", fence_type: "inclusion", enabled: false };
      const body = { ...fields, geofence_points: [{ ...point, param1: 40 }] };
      const path = `/geofence/${id}`;
      const reply = await user.api.put(path, body);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({
        ...{ id, ...fields },
        geofence_points: [
          {
            ...{ id: expect.any(Number), geofence_id: id, ...point, sequence: 1, frame: 3 },
            ...{ param1: 40, param2: 0, param3: 0, param4: 0 },
          },
        ],
      });
      expect(await otherUser.api.put(path, body)).toMatchObject({ status: 404, body: refusal });
    },
  },
  {
    route: "PUT /geofence/:geofence_id",
    title: "answers 500 to what does not fit, 412 when it is not what If-Match names, and changes nothing",
    run: async ({ user }) => {
      const { id } = await storeGeofence(user.api);
      const path = `/geofence/${id}`;
      const before = await user.api.get(path);
      const good = { name: "field", type: "polygon", ...created, geofence_points: [geofencePoint] };
      const wrong = {
        fence_type: undefined,
        enabled: undefined,
        type: "line",
        geofence_points: [{}],
        colour: 1,
      };
      for (const [key, value] of Object.entries(wrong))
        expect(await user.api.put(path, { ...good, [key]: value })).toMatchObject({
          status: 500,
          body: { error: expect.stringContaining(key) },
        });
      expect(await user.api.with({ "If-Match": '"other"' }).put(path, good)).toMatchObject({
        status: 412,
        body: refusal,
      });
      expect((await user.api.get(path)).body).toEqual(before.body);
      const tag = before.headers.get("ETag") as string;
      // A toggle is a change, too.
      await user.api.patch(`${path}/toggle`);
      expect((await user.api.with({ "If-Match": tag }).put(path, good)).status).toBe(412);
      expect((await user.api.put(path, good)).body.geofence_points).toHaveLength(1);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id",
    title: "answers 200 with the whole geofence, changed in the named fields only",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      const change = { name: "pond", type: "circle", fence_type: "inclusion", enabled: false };
      const reply = await user.api.patch(`/geofence/${id}`, change);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ id, ...change, geofence_points: points });
      const partly = await user.api.patch(`/geofence/${id}`, { enabled: true });
      expect(partly.body).toEqual({ ...reply.body, enabled: true });
      expect(await user.api.patch(`/geofence/${id}`, {})).toMatchObject({ status: 200, body: partly.body });
    },
  },
  {
    route: "PATCH /geofence/:geofence_id",
    title: "answers a wrong value, an unknown key or a taken name with 500, and changes nothing",
    run: async ({ user }) => {
      const { id } = await storeGeofence(user.api);
      await storeGeofence(user.api, "taken");
      const before = (await user.api.get(`/geofence/${id}`)).body;
      const wrong = { name: "taken", type: null, fence_type: "both", enabled: 1, id: 5, colour: "red" };
      for (const [key, value] of Object.entries(wrong)) {
        const reply = await user.api.patch(`/geofence/${id}`, { type: "circle", [key]: value });
        expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining(key) } });
      }
      expect((await user.api.get(`/geofence/${id}`)).body).toEqual(before);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id",
    title: "answers 404 for a geofence that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id } = await storeGeofence(otherUser.api);
      for (const other of [id, 2_000_000_000])
        for (const change of [{ enabled: false }, {}])
          expect(await user.api.patch(`/geofence/${other}`, change)).toMatchObject({
            status: 404,
            body: refusal,
          });
      expect((await otherUser.api.get(`/geofence/${id}`)).body.enabled).toBe(true);
    },
  },
  {
    route: "PATCH /geofence/:geofence_id/toggle",
    title: "answers 200 with the geofence disabled, then enabled again",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      const whole = { id, name: "field", type: "polygon", fence_type: "exclusion", geofence_points: points };
      for (const enabled of [false, true]) {
        const reply = await user.api.patch(`/geofence/${id}/toggle`);
        expect(reply.status).toBe(200);
        expect(reply.body).toEqual({ ...whole, enabled });
      }
    },
  },
  {
    route: "PATCH /geofence/:geofence_id/toggle",
    title: "answers 404 for a geofence that is missing or another's, which stays as it is",
    run: async ({ user, otherUser }) => {
      const { id } = await storeGeofence(otherUser.api);
      for (const other of [id, 2_000_000_000])
        expect(await user.api.patch(`/geofence/${other}/toggle`)).toMatchObject({
          status: 404,
          body: refusal,
        });
      expect((await otherUser.api.get(`/geofence/${id}`)).body.enabled).toBe(true);
    },
  },
  {
    route: "DELETE /geofence/:geofence_id",
    title: "answers 200, and the geofence and its points are gone; 404 for another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeGeofence(user.api);
      expect(await otherUser.api.delete(`/geofence/${id}`)).toMatchObject({ status: 404, body: refusal });
      const reply = await user.api.delete(`/geofence/${id}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ message: expect.any(String) });
      expect((await user.api.get(`/geofence/${id}`)).status).toBe(404);
      expect((await user.api.get(`/geofence/point/${points[0]?.id}`)).status).toBe(404);
      expect((await user.api.delete(`/geofence/${id}`)).status).toBe(404);
    },
  },
];
