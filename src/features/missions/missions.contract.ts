import type { ContractCase } from "../../testing/contract";
import { missionPoint, plainWaypoint, storeMission } from "../../testing/worlds/plans";

const refusal = { error: expect.any(String) };

export const missionsContract: readonly ContractCase[] = [
  {
    route: "POST /mission",
    title: "answers 201 with an empty mission",
    run: async ({ user }) => {
      const reply = await user.api.post("/mission", { name: "survey" });
      expect(reply).toMatchObject({ status: 201 });
      expect(reply.body).toEqual({ id: expect.any(Number), name: "survey", mission_points: [] });
    },
  },
  {
    route: "POST /mission",
    title: "answers a missing, empty or non-text name with 500",
    run: async ({ user }) => {
      for (const body of [undefined, {}, { name: null }, { name: 5 }, { name: "" }, []]) {
        const reply = await user.api.post("/mission", body);
        expect(reply).toMatchObject({ status: 500, body: refusal });
      }
      expect((await user.api.post("/mission", {})).body.error).toContain("name");
    },
  },
  {
    route: "POST /mission",
    title: "answers a duplicate name with 500 and words a person understands, per user",
    run: async ({ user, otherUser }) => {
      await user.api.post("/mission", { name: "twice" });
      const reply = await user.api.post("/mission", { name: "twice" });
      expect(reply.status).toBe(500);
      expect(reply.body).toEqual({ error: "You already have a mission with this name; choose another." });
      expect((await otherUser.api.post("/mission", { name: "twice" })).status).toBe(201);
    },
  },
  {
    route: "POST /mission",
    title: "answers malformed JSON with 400 and another media type with 415",
    run: async ({ user }) => {
      expect(await user.api.post("/mission", '{"name":')).toMatchObject({ status: 400, body: refusal });
      const form = user.api.with({ "content-type": "text/plain" });
      expect(await form.post("/mission", "name=x")).toMatchObject({ status: 415, body: refusal });
    },
  },
  {
    route: "GET /missions",
    title: "answers 200 with the caller's missions and their points in order",
    run: async ({ user, otherUser }) => {
      expect((await user.api.get("/missions")).body).toEqual([]);
      const flown = await storeMission(user.api);
      const empty = await user.api.post("/mission", { name: "empty" });
      await otherUser.api.post("/mission", { name: "theirs" });
      const reply = await user.api.get("/missions");
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual([
        { id: flown.id, name: "survey", mission_points: flown.points },
        { id: empty.body.id, name: "empty", mission_points: [] },
      ]);
    },
  },
  {
    route: "GET /missions",
    title: "sends a failure's body with status 200",
    run: async ({ user, gateway: { deps } }) => {
      await deps.db.raw("ALTER TABLE missions RENAME TO missions_away");
      try {
        const reply = await user.api.get("/missions");
        expect(reply.status).toBe(200);
        expect(reply.body).toEqual({ error: expect.any(String) });
        expect((await user.api.get("/mission/1")).status).toBe(500);
      } finally {
        await deps.db.raw("ALTER TABLE missions_away RENAME TO missions");
      }
      expect((await user.api.get("/missions")).body).toEqual([]);
    },
  },
  {
    route: "GET /mission/:mission_id",
    title: "answers 200 with the mission and its points, and 404 for one that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id, points } = await storeMission(user.api);
      const reply = await user.api.get(`/mission/${id}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ id, name: "survey", mission_points: points });
      expect(await otherUser.api.get(`/mission/${id}`)).toMatchObject({ status: 404, body: refusal });
      for (const other of ["2000000000", "abc", "0", "-1"])
        expect((await user.api.get(`/mission/${other}`)).status).toBe(404);
    },
  },
  {
    route: "PUT /mission/:mission_id",
    title: "answers 201 with the mission, its name and its points replaced, and 404 for another's",
    run: async ({ user, otherUser }) => {
      const { id } = await storeMission(user.api);
      const { sequence: _, ...point } = missionPoint;
      const body = { name: "new name", mission_points: [{ ...point, label: "first" }, point] };
      const reply = await user.api.put(`/mission/${id}`, body);
      expect(reply.status).toBe(201);
      const stored = { ...plainWaypoint, id: expect.any(Number), mission_id: id, label: null, ...point };
      expect(reply.body).toEqual({
        ...{ id, name: "new name" },
        mission_points: [
          { ...stored, label: "first", sequence: 1 },
          { ...stored, sequence: 2 },
        ],
      });
      expect(await otherUser.api.put(`/mission/${id}`, body)).toMatchObject({ status: 404, body: refusal });
      expect((await user.api.put(`/mission/${id}`, { name: "empty", mission_points: [] })).body).toEqual({
        ...{ id, name: "empty", mission_points: [] },
      });
    },
  },
  {
    route: "PUT /mission/:mission_id",
    title: "answers 500 to what does not fit, and changes nothing",
    run: async ({ user }) => {
      const { id } = await storeMission(user.api);
      await user.api.post("/mission", { name: "taken" });
      const before = (await user.api.get(`/mission/${id}`)).body;
      const good = { name: "new", mission_points: [missionPoint] };
      const wrong: [string, object][] = [
        ["name", { ...good, name: "" }],
        ["name", { ...good, name: "taken" }],
        ["mission_points", { name: "new" }],
        ["name", { mission_points: [] }],
        ["colour", { ...good, colour: "red" }],
        ["mission_points.1.lat", { ...good, mission_points: [missionPoint, { ...missionPoint, lat: 91 }] }],
        ["mission_points", { ...good, mission_points: Array(2_001).fill(missionPoint) }],
      ];
      for (const [key, body] of wrong)
        expect(await user.api.put(`/mission/${id}`, body)).toMatchObject({
          status: 500,
          body: { error: expect.stringContaining(key) },
        });
      expect((await user.api.get(`/mission/${id}`)).body).toEqual(before);
    },
  },
  {
    route: "PUT /mission/:mission_id",
    title: "answers 412 when the mission is not what If-Match names, and changes nothing",
    run: async ({ user }) => {
      const { id, points } = await storeMission(user.api);
      const path = `/mission/${id}`;
      const tagOf = async () => (await user.api.get(path)).headers.get("ETag") as string;
      const replace = (altitude: number, tag: string) =>
        user.api
          .with({ "If-Match": tag })
          .put(path, { name: "survey", mission_points: [{ ...missionPoint, altitude }] });
      const read = await tagOf();
      expect(await tagOf()).toBe(read);
      await user.api.patch(`/mission/point/${points[0]?.id}`, { altitude: 99 });
      expect(await replace(1, read)).toMatchObject({ status: 412, body: refusal });
      expect((await user.api.get(path)).body.mission_points).toEqual([
        { ...points[0], altitude: 99 },
        ...points.slice(1),
      ]);
      const stored = await replace(2, await tagOf());
      expect(stored).toMatchObject({ status: 201, body: { mission_points: [{ altitude: 2 }] } });
      const next = stored.headers.get("ETag") as string;
      // As a proxy that compresses has it, and among others.
      expect((await replace(3, `"other", W/${next}`)).status).toBe(201);
      expect((await replace(4, next)).status).toBe(412);
      expect((await replace(5, "*")).status).toBe(201);
      expect((await user.api.get(path)).body.mission_points).toMatchObject([{ altitude: 5 }]);
    },
  },
  {
    route: "DELETE /mission/:mission_id",
    title: "answers 200, and the mission and its points are gone",
    run: async ({ user }) => {
      const { id, points } = await storeMission(user.api);
      const reply = await user.api.delete(`/mission/${id}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ message: expect.any(String) });
      expect((await user.api.get(`/mission/${id}`)).status).toBe(404);
      expect((await user.api.get(`/mission/point/${points[0]?.id}`)).status).toBe(404);
      expect((await user.api.delete(`/mission/${id}`)).status).toBe(404);
    },
  },
  {
    route: "DELETE /mission/:mission_id",
    title: "answers 404 for another's mission, which stays",
    run: async ({ user, otherUser }) => {
      const { id } = await storeMission(otherUser.api);
      expect(await user.api.delete(`/mission/${id}`)).toMatchObject({ status: 404, body: refusal });
      expect((await otherUser.api.get(`/mission/${id}`)).status).toBe(200);
    },
  },
  {
    route: "DELETE /mission/:mission_id",
    title: "takes the mission off the caller's drones",
    run: async ({ user, gateway: { deps } }) => {
      const { id } = await storeMission(user.api);
      const drone = { user_id: user.id, name: "one", type: "sitl", vehicle_type: "copter", port: 5760 };
      const [row] = await deps.db("drones").insert({ ...drone, mission_id: id }, ["id"]);
      expect((await user.api.delete(`/mission/${id}`)).status).toBe(200);
      expect(await deps.db("drones").where({ id: row.id }).first("mission_id")).toEqual({ mission_id: null });
    },
  },
  {
    route: "DELETE /mission/:mission_id",
    title: "answers 400 and says to unassign first when a drone still refers to it, and deletes nothing",
    run: async ({ user, otherUser, gateway: { deps } }) => {
      const { id, points } = await storeMission(user.api);
      const drone = { name: "one", type: "sitl", vehicle_type: "copter", port: 5760, mission_id: id };
      await deps.db("drones").insert([
        { ...drone, user_id: user.id },
        { ...drone, user_id: otherUser.id },
      ]);
      const reply = await user.api.delete(`/mission/${id}`);
      expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(/unassign/) } });
      expect((await user.api.get(`/mission/${id}`)).body.mission_points).toEqual(points);
      expect(await deps.db("drones").where({ mission_id: id })).toHaveLength(2);
    },
  },
];
