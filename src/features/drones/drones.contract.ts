import type { ContractCase } from "../../testing/contract";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { saveSubscription } from "../billing";

const refusal = { error: expect.any(String) };
const sitl = { type: "sitl", name: "Copter", vehicle_type: "copter" };
const physical = { type: "physical", name: "Rover", vehicle_type: "rover" };

export const dronesContract: readonly ContractCase[] = [
  {
    route: "POST /drone",
    title: "answers 201 with the simulated drone, the one that is free",
    run: async ({ user }) => {
      const reply = await user.api.post("/drone", sitl);
      expect(reply.status).toBe(201);
      expect(reply.body).toEqual({
        ...sitl,
        id: expect.any(Number),
        user_id: user.id,
        mission_id: null,
        ip: expect.stringMatching(/^10\.71\./),
        port: expect.any(Number),
        link: "mavlink",
        link_host: null,
        video_room_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
    },
  },
  {
    route: "POST /drone",
    title: "answers 201 with the physical drone and its activation token of ten digits",
    run: async ({ user, gateway }) => {
      await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
      const reply = await user.api.post("/drone", physical);
      expect(reply).toMatchObject({ status: 201, body: { ...physical, port: 5001 } });
      expect(reply.body.activation_token).toMatch(/^\d{10}$/);
    },
  },
  {
    route: "POST /drone",
    title: "answers 402 over the subscription's limit, with the reason and what to do",
    run: async ({ user }) => {
      await user.api.post("/drone", sitl);
      const second = await user.api.post("/drone", sitl);
      expect(second.status).toBe(402);
      expect(second.body.error).toMatch(/Subscribe .*\(vehicle_limit_reached\)$/);
      const unpaid = await user.api.post("/drone", physical);
      expect(unpaid.status).toBe(402);
      expect(unpaid.body.error).toMatch(/Subscribe .*\(no_subscription\)$/);
    },
  },
  {
    route: "POST /drone",
    title: "answers wrong types and missing fields with 400",
    run: async ({ user }) => {
      for (const body of [
        undefined,
        [],
        {},
        { ...sitl, type: "kite" },
        { ...sitl, name: 5 },
        { ...sitl, vehicle_type: 1 },
      ]) {
        expect(await user.api.post("/drone", body)).toMatchObject({ status: 400, body: refusal });
      }
    },
  },
  {
    route: "PUT /drone/:drone_id",
    title: "answers 201 with the changed drone, each key being optional",
    run: async ({ user }) => {
      const { body: drone } = await user.api.post("/drone", sitl);
      const { body: mission } = await user.api.post("/mission", { name: "survey" });
      const whole = { type: "sitl", name: "Renamed", mission_id: mission.id };
      expect(await user.api.put(`/drone/${drone.id}`, whole)).toMatchObject({
        status: 201,
        body: { id: drone.id, ip: drone.ip, ...whole },
      });
      expect(await user.api.put(`/drone/${drone.id}`, { mission_id: null })).toMatchObject({
        status: 201,
        body: { ...whole, mission_id: null },
      });
    },
  },
  {
    route: "PUT /drone/:drone_id",
    title:
      "answers 404 for a drone or a mission that is not the caller's, 402 for a type that is not paid for",
    run: async ({ user, otherUser }) => {
      const { body: drone } = await user.api.post("/drone", sitl);
      const { body: mission } = await otherUser.api.post("/mission", { name: "theirs" });
      const put = (api = user.api, body: unknown = { name: "x" }, id = drone.id) =>
        api.put(`/drone/${id}`, body);
      expect(await put(otherUser.api)).toMatchObject({ status: 404, body: refusal });
      expect(await put(user.api, { mission_id: mission.id })).toMatchObject({ status: 404, body: refusal });
      expect(await put(user.api, {}, "seven")).toMatchObject({ status: 404, body: refusal });
      expect(await put(user.api, { type: "physical" })).toMatchObject({ status: 402, body: refusal });
    },
  },
  {
    route: "DELETE /drone/:drone_id",
    title: "answers 201, and 404 for a deleted drone or another user's",
    run: async ({ user, otherUser }) => {
      const { body: drone } = await user.api.post("/drone", sitl);
      expect(await otherUser.api.delete(`/drone/${drone.id}`)).toMatchObject({ status: 404, body: refusal });
      const reply = await user.api.delete(`/drone/${drone.id}`);
      expect(reply).toMatchObject({ status: 201, body: { message: expect.any(String) } });
      expect((await user.api.get("/drones")).body).toEqual([]);
      expect((await user.api.delete(`/drone/${drone.id}`)).status).toBe(404);
    },
  },
  {
    route: "GET /drones",
    title: "answers 201 with the caller's drones only",
    run: async ({ user, otherUser }) => {
      expect(await user.api.get("/drones")).toMatchObject({ status: 201, body: [] });
      const { body: drone } = await user.api.post("/drone", sitl);
      await otherUser.api.post("/drone", sitl);
      expect(await user.api.get("/drones")).toMatchObject({ status: 201, body: [drone] });
      expect((await user.api.get("/drones")).body).toHaveLength(1);
    },
  },
  {
    route: "GET /drones/mission",
    title: "answers 201 with the caller's drones that use the mission, and 400 without a mission",
    run: async ({ user, otherUser }) => {
      const { body: drone } = await user.api.post("/drone", sitl);
      const { body: mission } = await user.api.post("/mission", { name: "survey" });
      const path = `/drones/mission?missionId=${mission.id}`;
      expect(await user.api.get(path)).toMatchObject({ status: 201, body: [] });
      await user.api.put(`/drone/${drone.id}`, { mission_id: mission.id });
      const reply = await user.api.get(path);
      expect(reply.status).toBe(201);
      expect(reply.body).toEqual([expect.objectContaining({ id: drone.id, mission_id: mission.id })]);
      expect(await otherUser.api.get(path)).toMatchObject({ status: 201, body: [] });
      for (const query of ["", "?missionId=", "?missionId=seven"])
        expect(await user.api.get(`/drones/mission${query}`)).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: "GET /drone/action/connection",
    title: "answers 200 with the drone's id when its vehicle answers, each time",
    run: async ({ user }) => {
      const drone = await simulatedDrone(user.api);
      for (const _time of [1, 2]) {
        const reply = await user.api.get(`/drone/action/connection?id=${drone.id}`);
        expect(reply).toMatchObject({ status: 200 });
        expect(reply.body).toEqual({ drone_id: drone.id });
      }
    },
  },
  {
    route: "GET /drone/action/connection",
    title: "answers 400 for a silent vehicle, a missing id, a missing drone and another user's",
    run: async ({ user, otherUser }) => {
      const drone = await simulatedDrone(user.api);
      const path = `/drone/action/connection?id=${drone.id}`;
      expect(await otherUser.api.get(path)).toMatchObject({ status: 400, body: refusal });
      await drone.stop();
      expect(await user.api.get(path)).toMatchObject({ status: 400, body: refusal });
      for (const query of ["", "?id=seven", "?id=2000000000"])
        expect(await user.api.get(`/drone/action/connection${query}`)).toMatchObject({
          status: 400,
          body: refusal,
        });
    },
  },
  {
    route: "DELETE /drone/action/connection",
    title: "answers 200 and closes the link, and 400 for another user's drone",
    run: async ({ user, otherUser, gateway }) => {
      const drone = await simulatedDrone(user.api);
      const path = `/drone/action/connection?id=${drone.id}`;
      await user.api.get(path);
      expect(await otherUser.api.delete(path)).toMatchObject({ status: 400, body: refusal });
      expect(drone.vehicle.connected).toBe(true);
      const open = gateway.deps.links.size;
      expect(await user.api.delete(path)).toMatchObject({
        status: 200,
        body: { message: expect.any(String) },
      });
      expect(gateway.deps.links.size).toBe(open - 1);
      expect((await user.api.delete(path)).status).toBe(200);
    },
  },
  {
    route: "GET /drone/:drone_id/modes",
    title:
      "answers 200 with the modes of the vehicle's autopilot, those of its sticks and the one in which it stops",
    run: async ({ user }) => {
      for (const [options, stopping, sticks, others] of [
        [{ kind: "copter" }, "BRAKE", "LOITER", "GUIDED"],
        [{ kind: "rover" }, "HOLD", "MANUAL", "LOITER"],
        [{ kind: "copter", autopilot: "px4" }, "AUTO.LOITER", "POSCTL", "AUTO.MISSION"],
      ] as const) {
        const drone = await simulatedDrone(user.api, options);
        const reply = await user.api.get(`/drone/${drone.id}/modes`);
        const { autopilot = "ardupilot", kind } = { autopilot: undefined, ...options };
        expect(reply).toMatchObject({ status: 200, body: { autopilot, vehicle_type: kind, stopping } });
        expect(reply.body.modes).toContainEqual({ name: sticks, sticks: true });
        expect(reply.body.modes).toContainEqual({ name: others, sticks: false });
        await user.api.delete(`/drone/${drone.id}`);
      }
    },
  },
  {
    route: "GET /drone/:drone_id/modes",
    title: "answers 500 for a silent vehicle, and 404 for another user",
    run: async ({ user, otherUser }) => {
      const drone = await simulatedDrone(user.api);
      expect(await otherUser.api.get(`/drone/${drone.id}/modes`)).toMatchObject({
        status: 404,
        body: refusal,
      });
      await drone.stop();
      expect(await user.api.get(`/drone/${drone.id}/modes`)).toMatchObject({ status: 500, body: refusal });
    },
  },
  {
    route: "GET /drone/:drone_id/params",
    title: "answers 200 with the values that the vehicle has, in the order they were asked for",
    run: async ({ user }) => {
      const drone = await simulatedDrone(user.api);
      const reply = await user.api.get(`/drone/${drone.id}/params?params=FENCE_ACTION,%20FENCE_ENABLE`);
      expect(reply).toMatchObject({ status: 200 });
      const row = (param_id: string) => ({ param_id, value: drone.vehicle.param(param_id) });
      expect(reply.body).toEqual({ params: [row("FENCE_ACTION"), row("FENCE_ENABLE")] });
    },
  },
  {
    route: "GET /drone/:drone_id/params",
    title: "answers 200 with all parameters and their values in one call, and 400 for names and all of them",
    run: async ({ user }) => {
      const drone = await simulatedDrone(user.api);
      const { body } = await user.api.get(`/drone/${drone.id}/params?all=true`);
      const { param_total } = (await user.api.post(`/drone/${drone.id}/params/pull`)).body;
      expect(body.params).toHaveLength(param_total);
      for (const { param_id, value } of body.params)
        expect(value).toBeCloseTo(drone.vehicle.param(param_id) as number, 3);
      const both = await user.api.get(`/drone/${drone.id}/params?all=true&params=FENCE_ENABLE`);
      expect(both).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: "GET /drone/:drone_id/params",
    title: "answers 400 without names, 404 for another user, 500 for a name that the vehicle does not know",
    run: async ({ user, otherUser }) => {
      const drone = await simulatedDrone(user.api);
      const params = (csv: string, api = user.api) => api.get(`/drone/${drone.id}/params?params=${csv}`);
      for (const csv of ["", ",", "A_NAME_OF_17_CHARS", "a-b"])
        expect(await params(csv)).toMatchObject({ status: 400, body: refusal });
      expect((await user.api.get(`/drone/${drone.id}/params`)).status).toBe(400);
      expect(await params("FENCE_ENABLE", otherUser.api)).toMatchObject({ status: 404, body: refusal });
      const unknown = await params("NO_SUCH_PARAM");
      expect(unknown.status).toBe(500);
      expect(unknown.body.error).toContain("NO_SUCH_PARAM");
    },
  },
  {
    route: "POST /drone/:drone_id/params/pull",
    title: "answers 200 with the number of parameters received, and 404 for another user",
    run: async ({ user, otherUser }) => {
      const drone = await simulatedDrone(user.api);
      const reply = await user.api.post(`/drone/${drone.id}/params/pull`);
      expect(reply).toMatchObject({ status: 200, body: { success: true } });
      expect(Object.keys(reply.body).sort()).toEqual(["param_received", "param_total", "success"]);
      expect(reply.body.param_total).toBe(reply.body.param_received);
      expect(reply.body.param_received).toBeGreaterThan(100);
      expect((await otherUser.api.post(`/drone/${drone.id}/params/pull`)).status).toBe(404);
    },
  },
];
