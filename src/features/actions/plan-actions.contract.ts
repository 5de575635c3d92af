import { offsetBy } from "../../domain/geo";
import type { ContractCase, ContractWorld } from "../../testing/contract";
import { eventually } from "../../testing/until";
import { accepted, takeOff, withFlownDrone } from "../../testing/worlds/flown-drone";
import { geofencePoint, missionPoint, storeGeofence, storeMission } from "../../testing/worlds/plans";

const refusal = { error: expect.any(String) };

/** Missions and geofences on their way to the vehicle. */
export const planActionsContract: readonly ContractCase[] = [
  {
    route: "POST /drone/action/push_mission",
    title: "uploads the waypoints with a takeoff before them, and gives the plan's hash",
    run: withFlownDrone(async ({ order, user }) => {
      const mission = await storeMission(user.api);
      const reply = await order("push_mission", { mission_id: mission.id });
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({
        message: expect.any(String),
        result: {
          mission_id: mission.id,
          items: 4,
          takeoff_added: true,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          adjusted: [],
          warnings: [],
        },
      });
    }),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "adds no takeoff where the first waypoint is one",
    run: withFlownDrone(async ({ order, user }) => {
      const { id } = (await user.api.post("/mission", { name: "own takeoff" })).body;
      for (const [sequence, command] of [22, 16].entries()) {
        await user.api.post("/mission/point", [{ ...missionPoint, mission_id: id, sequence, command }]);
      }
      const reply = await order("push_mission", { mission_id: id });
      expect(reply).toMatchObject({ status: 200, body: { result: { items: 2, takeoff_added: false } } });
    }),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "answers a mission that is another's with 404, and one without waypoints with 500",
    run: withFlownDrone(async ({ order, user, otherUser }) => {
      const theirs = await storeMission(otherUser.api);
      expect(await order("push_mission", { mission_id: theirs.id })).toMatchObject({
        status: 404,
        body: refusal,
      });
      const { id } = (await user.api.post("/mission", { name: "empty" })).body;
      expect(await order("push_mission", { mission_id: id })).toMatchObject({ status: 500, body: refusal });
    }),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "is refused while the drone flies its mission, unless forced",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const mission_id = (await storeMission(user.api)).id;
      await order("push_mission", { mission_id });
      await order("arm");
      await order("start_mission");
      await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
      expect(drone.vehicle.state.mode).toBe("AUTO");
      expect(await order("push_mission", { mission_id })).toMatchObject({ status: 500, body: refusal });
      expect(await order("push_mission", { mission_id, force: true })).toMatchObject({ status: 200 });
    }),
  },
  {
    route: "GET /drone/:drone_id/mission",
    title: "says which mission is on board, and 404 for another user",
    run: withFlownDrone(async ({ order, user, otherUser, drone }) => {
      const read = (api = user.api) => api.get(`/drone/${drone.id}/mission`);
      expect(await read()).toMatchObject({
        status: 200,
        body: { state: "other", mission_id: null, verified_at: null, items: [] },
      });
      const missions = [await storeMission(user.api), await storeMission(user.api, "the same again")];
      for (const { id } of missions) {
        const { hash } = (await order("push_mission", { mission_id: id })).body.result;
        const { status, body } = await read();
        expect(status).toBe(200);
        expect(body).toMatchObject({ state: "verified", mission_id: id, hash });
        expect(body.verified_at).toEqual(expect.any(String));
        expect(body.items).toHaveLength(4);
        const { lat, lng, altitude } = missionPoint;
        expect(body.items[1]).toEqual({
          ...{ command: 16, frame: 3, autocontinue: true, lat, lng, altitude },
          ...{ param1: 0, param2: 0, param3: 0, param4: 0 },
        });
      }
      expect(await read(otherUser.api)).toMatchObject({ status: 404, body: refusal });
    }),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "climbs to the height at which the mission on board begins",
    run: withFlownDrone(async ({ order, user, drone }) => {
      await order("push_mission", { mission_id: (await storeMission(user.api)).id });
      await order("arm");
      const reply = await order("start_mission");
      expect(reply).toMatchObject({
        status: 200,
        body: { result: { ...accepted, altitude: missionPoint.altitude } },
      });
      await eventually("it is up", () => drone.vehicle.state.relativeAltitude > missionPoint.altitude - 1);
    }),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "climbs to the given height, and without one or a mission says what is missing",
    run: withFlownDrone(async ({ order, drone }) => {
      await order("arm");
      const without = await order("start_mission");
      expect(without.status).toBe(500);
      expect(without.body.error).toContain("takeoff_altitude");
      expect(drone.vehicle.state.landed).toBe(true);
      const reply = await order("start_mission", { takeoff_altitude: 8 });
      expect(reply).toMatchObject({ status: 200, body: { result: { altitude: 8 } } });
    }),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "makes a rover ready, which has nothing to climb",
    run: withFlownDrone(
      async ({ order }) => {
        await order("arm");
        expect(await order("start_mission")).toMatchObject({
          status: 200,
          body: { result: { mode: "GUIDED" } },
        });
      },
      { kind: "rover" },
    ),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "makes a rover of PX4 ready, which then drives its mission and holds",
    run: withFlownDrone(
      async ({ order, user, drone }) => {
        const { lat, lng } = offsetBy(drone.vehicle.state.home, 15, 0);
        const { id } = (await user.api.post("/mission", { name: "drive" })).body;
        await user.api.post("/mission/point", [{ ...missionPoint, lat, lng, mission_id: id }]);
        const pushed = await order("push_mission", { mission_id: id });
        expect(pushed.body.result).toMatchObject({ items: 1, takeoff_added: false });
        await order("arm");
        expect(await order("takeoff", { altitude: 10 })).toMatchObject({ status: 500, body: refusal });
        expect(await order("start_mission")).toMatchObject({
          status: 200,
          body: { result: { mode: "AUTO.LOITER" } },
        });
        await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
        await eventually("it has driven there", () => drone.vehicle.state.mission.state === "complete");
        expect(drone.vehicle.state.position.lat).toBeCloseTo(lat, 5);
        expect(drone.vehicle.state).toMatchObject({ mode: "AUTO_LOITER", armed: true });
      },
      { kind: "rover", autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "is refused before arming, and changes nothing",
    run: withFlownDrone(
      async ({ order, drone }) => {
        const { mode } = drone.vehicle.state;
        const refused = await order("start_mission");
        expect(refused).toMatchObject({ status: 500, body: { error: expect.stringContaining("not armed") } });
        expect(drone.vehicle.state.mode).toBe(mode);
      },
      { kind: "rover" },
    ),
  },
  {
    route: "POST /drone/action/start_mission",
    title: "is refused before arming with what prevents the arming",
    run: withFlownDrone(
      async ({ order }) => {
        const body = { takeoff_altitude: 8 };
        const errorOf = async () => (await order("start_mission", body)).body.error;
        expect(await errorOf()).toMatch(/the drone is not armed\. Arm it first\.$/);
        await order("set_param", { param_id: "COM_ARMABLE", value: 0 });
        const safety = "Vehicle is in safety configuration (COM_ARMABLE)";
        expect(await errorOf()).toMatch(`the drone is not armed. It cannot be armed as it is: ${safety}`);
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "names a refused row, and leaves the plan on board as it was",
    run: withFlownDrone(async ({ order, user }) => {
      await order("push_mission", { mission_id: (await storeMission(user.api)).id });
      const { id } = (await user.api.post("/mission", { name: "refused" })).body;
      for (const [sequence, command] of [
        [5, 22],
        [7, 16],
        [9, 9999],
      ]) {
        await user.api.post("/mission/point", [
          { ...missionPoint, altitude: 40, mission_id: id, sequence, command },
        ]);
      }
      const refused = await order("push_mission", { mission_id: id });
      expect(refused.status).toBe(500);
      expect(refused.body.error).toMatch(
        /^The mission was refused: row 9, command 9999 \(MAV_MISSION_UNSUPPORTED\).*; the plan that was on board is restored$/,
      );
      await order("arm");
      expect(await order("start_mission")).toMatchObject({
        body: { result: { altitude: missionPoint.altitude } },
      });
    }),
  },
  {
    route: "POST /drone/action/push_geofence",
    title: "is refused when the flying drone is outside of the fence, unless forced",
    run: withFlownDrone(async (world) => {
      const { order, user } = world;
      const geofence_id = await storeTriangle(user.api);
      await user.api.patch(`/geofence/${geofence_id}`, { fence_type: "inclusion" });
      await takeOff(world);
      const refused = await order("push_geofence", { geofence_id });
      expect(refused).toMatchObject({ status: 500, body: { error: expect.stringContaining("force") } });
      expect(await order("push_geofence", { geofence_id, force: true })).toMatchObject({ status: 200 });
    }),
  },
  {
    route: "POST /drone/action/push_geofence",
    title: "uploads the fence and says that the drone will not act on it as it is set",
    run: withFlownDrone(async ({ order, user }) => {
      await order("set_param", { param_id: "FENCE_ENABLE", value: 0 });
      const geofence_id = await storeTriangle(user.api);
      const reply = await order("push_geofence", { geofence_id });
      expect(reply).toMatchObject({
        status: 200,
        body: { result: { geofences: 1, items: 3, enforcement: { active: false } } },
      });
      expect(reply.body.message).toContain("FENCE_ENABLE");
    }),
  },
  {
    route: "POST /drone/action/push_geofence",
    title:
      "gives the words in which PX4, after it took a fence without home, says that it does not act on it",
    run: withFlownDrone(
      async ({ order, user }) => {
        const geofence_id = await storeTriangle(user.api);
        await user.api.patch(`/geofence/${geofence_id}`, { fence_type: "inclusion" });
        const invalid = "Geofence invalid, doesn't contain Home position";
        expect(await order("push_geofence", { geofence_id })).toMatchObject({
          status: 200,
          body: {
            message: expect.stringContaining(invalid),
            result: { items: 3, enforcement: { active: false }, warnings: [invalid] },
          },
        });
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "gives the words in which PX4, after it took a mission, names the waypoint that its fence forbids",
    run: withFlownDrone(
      async ({ order, user, drone }) => {
        const { home } = drone.vehicle.state;
        const zone = { name: "forbidden", type: "circle", fence_type: "exclusion" };
        const geofence_id = (await user.api.post("/geofence", zone)).body.id;
        const centre = {
          ...geofencePoint,
          geofence_id,
          command: 5004,
          param1: 50,
          ...offsetBy(home, 200, 0),
        };
        await user.api.post("/geofence/point", [centre]);
        expect((await order("push_geofence", { geofence_id })).body.result.warnings).toEqual([]);
        const mission_id = (await user.api.post("/mission", { name: "through it" })).body.id;
        for (const [index, north] of [20, 200].entries()) {
          const row = { ...missionPoint, ...offsetBy(home, north, 0), mission_id, sequence: index + 1 };
          await user.api.post("/mission/point", [row]);
        }
        // The takeoff that is added is the first.
        const violation = "Geofence violation for waypoint 3";
        expect(await order("push_mission", { mission_id })).toMatchObject({
          status: 200,
          body: { message: expect.stringContaining(violation), result: { items: 3, warnings: [violation] } },
        });
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/push_geofence",
    title: "uploads a geofence that is switched off all the same",
    run: withFlownDrone(async ({ order, user }) => {
      const geofence_id = await storeTriangle(user.api);
      await user.api.patch(`/geofence/${geofence_id}/toggle`);
      expect(await order("push_geofence", { geofence_id })).toMatchObject({
        status: 200,
        body: { result: { items: 3 } },
      });
    }),
  },
  {
    route: "POST /drone/action/push_geofence",
    title: "answers a geofence that is another's with 404",
    run: withFlownDrone(async ({ order, otherUser }) => {
      const theirs = await storeGeofence(otherUser.api);
      expect(await order("push_geofence", { geofence_id: theirs.id })).toMatchObject({
        status: 404,
        body: refusal,
      });
    }),
  },
  {
    route: "POST /drone/action/clear_fence",
    title: "takes the fence away",
    run: withFlownDrone(async ({ order, user }) => {
      await order("push_geofence", { geofence_id: await storeTriangle(user.api) });
      expect(await order("clear_fence")).toMatchObject({ status: 200, body: { result: { items: 0 } } });
    }),
  },
  {
    route: "POST /drone/action/sync_geofences",
    title: "uploads all enabled geofences, and clears the fence when there is none",
    run: withFlownDrone(async ({ order, user }) => {
      const first = await storeTriangle(user.api, "first");
      await storeTriangle(user.api, "second");
      expect(await order("sync_geofences")).toMatchObject({
        status: 200,
        body: { result: { geofences: 2, items: 6 } },
      });
      await user.api.patch(`/geofence/${first}/toggle`);
      expect(await order("sync_geofences")).toMatchObject({ body: { result: { geofences: 1, items: 3 } } });
      for (const { id } of (await user.api.get("/geofences")).body) await user.api.delete(`/geofence/${id}`);
      expect(await order("sync_geofences")).toMatchObject({ status: 200, body: { result: { items: 0 } } });
    }),
  },
];

/** A polygon that surrounds nothing the cases fly to, and is no line. */
async function storeTriangle(api: ContractWorld["user"]["api"], name = "field"): Promise<number> {
  const { id } = (await api.post("/geofence", { name, type: "polygon" })).body;
  const corners = [
    [47.5, 8.5],
    [47.5, 8.6],
    [47.6, 8.5],
  ];
  for (const [sequence, [lat, lng]] of corners.entries()) {
    await api.post("/geofence/point", [{ ...geofencePoint, geofence_id: id, sequence, lat, lng }]);
  }
  return id;
}
