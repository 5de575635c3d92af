import type { ContractCase, ContractWorld } from "../../testing/contract";
import { eventually } from "../../testing/until";
import { geofencePoint, missionPoint, storeGeofence, storeMission } from "../../testing/worlds/plans";
import { type SimulatedDrone, simulatedDrone } from "../../testing/worlds/simulated-drone";
import type { TestVehicleOptions } from "../../testing/worlds/simulator";
import { actionTable } from "./actions.table";

const refusal = { error: expect.any(String) };
const accepted = { result: "MAV_RESULT_ACCEPTED", status_text: expect.any(Array) };

interface FlownWorld extends ContractWorld {
  readonly drone: SimulatedDrone;
  /** Orders the case's own drone. */
  readonly order: (path: string, body?: object) => ReturnType<ContractWorld["user"]["api"]["post"]>;
}

/** A case with a drone of the user's own in the air, or ready for it. */
const flown =
  (run: (world: FlownWorld) => Promise<void>, options: Partial<TestVehicleOptions> = {}) =>
  async (world: ContractWorld) => {
    const { api } = world.user;
    const drone = await simulatedDrone(api, options);
    const order: FlownWorld["order"] = (path, body = {}) =>
      api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
    try {
      await run({ ...world, drone, order });
    } finally {
      await drone.stop();
    }
  };

/** For each action: a body that fits, one that does not, and the field that the refusal names. */
const rows: readonly [path: string, fits: object, misfit: object, names: string][] = [
  ["arm", {}, { drone_id: "x" }, "drone_id"],
  ["arm_drone", {}, { drone_id: null }, "drone_id"],
  ["disarm_drone", {}, { drone_id: -1 }, "drone_id"],
  ["takeoff", { altitude: 10 }, { altitude: 0 }, "altitude"],
  ["takeoff", { altitude: 10 }, { altitude: 10_000 }, "altitude"],
  ["takeoff", { altitude: 10 }, { altitude: "" }, "altitude"],
  ["land", {}, { drone_id: 1.5 }, "drone_id"],
  ["rtl", {}, { drone_id: {} }, "drone_id"],
  ["guided", {}, { drone_id: "" }, "drone_id"],
  ["set_mode", { mode_info: { custom_mode: "GUIDED" } }, { mode_info: { custom_mode: null } }, "mode_info"],
  ["set_param", { param_id: "RTL_ALT", value: 1 }, { param_id: "a name that is too long" }, "param_id"],
  ["set_params", { params: { RTL_ALT: 1 } }, { params: {} }, "params"],
  ["motortest", { motor_id: 1, percentage: 5 }, { motor_id: 0 }, "motor_id"],
  ["motortest", { motor_id: 1, percentage: 5 }, { percentage: 101 }, "percentage"],
  ["move", { x: 1, y: 1, z: 5 }, { x: null }, "x"],
  ["goto_gps_location", { lat: 47, lng: 8, altitude: 20 }, { lat: 91 }, "lat"],
  ["push_mission", { mission_id: 1 }, { mission_id: "one" }, "mission_id"],
  ["start_mission", {}, { takeoff_altitude: -5 }, "takeoff_altitude"],
  ["push_geofence", { geofence_id: 1 }, { geofence_id: "one" }, "geofence_id"],
  ["clear_fence", {}, { drone_id: [] }, "drone_id"],
  ["sync_geofences", {}, { drone_id: false }, "drone_id"],
  ["video-source", { source: "TEST" }, { source: "SCREEN" }, "source"],
];

const misfits: readonly ContractCase[] = rows.map(([path, fits, misfit, names]) => ({
  route: `POST /drone/action/${path}`,
  title: `answers ${JSON.stringify(misfit)} with ${path === "video-source" ? 400 : 500}, naming ${names}`,
  run: async ({ user }) => {
    const reply = await user.api.post(`/drone/action/${path}`, { drone_id: 1, ...fits, ...misfit });
    expect(reply).toMatchObject({ status: path === "video-source" ? 400 : 500, body: refusal });
    expect(reply.body.error).toContain(names);
  },
}));

const bodyOf = (path: string): object => {
  const [, fits] = rows.find(([name]) => name === path) ?? [];
  if (!fits)
    throw new Error(`Add a row for the action "${path}" to the table "rows" in actions.contract.ts.`);
  return fits;
};

const strangers: readonly ContractCase[] = actionTable
  .map(({ path }) => [path, bodyOf(path)] as const)
  .map(([path, fits]) => ({
    route: `POST /drone/action/${path}`,
    title: "answers 404 for another user's drone, and for a drone that does not exist",
    run: async ({ user, otherUser }) => {
      const drone = { type: "sitl", name: "theirs", vehicle_type: "copter" };
      const { id } = (await otherUser.api.post("/drone", drone)).body;
      for (const drone_id of [id, 2_000_000_000]) {
        const reply = await user.api.post(`/drone/action/${path}`, { drone_id, ...fits });
        expect(reply).toMatchObject({ status: 404, body: refusal });
      }
    },
  }));

const takeOff = async ({ order, drone }: FlownWorld) => {
  await order("guided");
  await order("arm");
  await order("takeoff", { altitude: 10 });
  await eventually("it is up", () => drone.vehicle.state.relativeAltitude > 9);
};

const flights: readonly ContractCase[] = [
  ...["arm", "arm_drone"].map((path) => ({
    route: `POST /drone/action/${path}`,
    title: "arms the drone",
    run: flown(async ({ order, drone }) => {
      const reply = await order(path);
      expect(reply).toMatchObject({ status: 200, body: { message: expect.any(String), result: accepted } });
      expect(drone.vehicle.state.armed).toBe(true);
    }),
  })),
  {
    route: "POST /drone/action/arm",
    title: "answers a vehicle that refuses with 500 and the vehicle's own reason",
    run: flown(
      async ({ order, drone }) => {
        const reply = await order("arm");
        expect(reply.status).toBe(500);
        expect(reply.body.error).toContain("Need Position Estimate");
        expect(drone.vehicle.state.armed).toBe(false);
      },
      // It has no position for minutes.
      { bootSeconds: 3_600 },
    ),
  },
  {
    route: "POST /drone/action/disarm_drone",
    title: "disarms the drone",
    run: flown(async ({ order, drone }) => {
      await order("arm");
      expect(await order("disarm_drone")).toMatchObject({ status: 200, body: { result: accepted } });
      expect(drone.vehicle.state.armed).toBe(false);
    }),
  },
  {
    route: "POST /drone/action/takeoff",
    title: "climbs to the altitude",
    run: flown(async ({ order, drone }) => {
      await order("arm");
      expect(await order("takeoff", { altitude: 12 })).toMatchObject({
        status: 200,
        body: { result: accepted },
      });
      await eventually("it is at 12 m", () => Math.abs(drone.vehicle.state.relativeAltitude - 12) < 1);
    }),
  },
  {
    route: "POST /drone/action/takeoff",
    title: "answers a drone that is not armed with 500",
    run: flown(async ({ order, drone }) => {
      expect(await order("takeoff", { altitude: 12 })).toMatchObject({ status: 500, body: refusal });
      expect(drone.vehicle.state.landed).toBe(true);
    }),
  },
  {
    route: "POST /drone/action/land",
    title: "comes down where it is",
    run: flown(async (world) => {
      await takeOff(world);
      expect(await world.order("land")).toMatchObject({ status: 200, body: { result: accepted } });
      await eventually("it is down", () => world.drone.vehicle.state.landed);
    }),
  },
  {
    route: "POST /drone/action/rtl",
    title: "is in the mode that brings it home",
    run: flown(async (world) => {
      await takeOff(world);
      const reply = await world.order("rtl");
      expect(reply).toMatchObject({ status: 200, body: { result: { ...accepted, mode: "RTL" } } });
      expect(world.drone.vehicle.state.mode).toBe("RTL");
    }),
  },
  {
    route: "POST /drone/action/guided",
    title: "is in guided mode",
    run: flown(async ({ order, drone }) => {
      const reply = await order("guided");
      expect(reply).toMatchObject({ status: 200, body: { result: { ...accepted, mode: "GUIDED" } } });
      expect(drone.vehicle.state.mode).toBe("GUIDED");
    }),
  },
  {
    route: "POST /drone/action/guided",
    title: "holds a PX4 vehicle, which takes positions there",
    run: flown(
      async ({ order }) => {
        expect(await order("guided")).toMatchObject({
          status: 200,
          body: { result: { mode: "AUTO.LOITER" } },
        });
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/set_mode",
    title: "takes a mode by name and by number",
    run: flown(async ({ order, drone }) => {
      const modes: [string | number, string][] = [
        ["loiter", "LOITER"],
        [2, "ALT_HOLD"],
        ["4", "GUIDED"],
      ];
      for (const [custom_mode, mode] of modes) {
        const reply = await order("set_mode", { mode_info: { custom_mode } });
        expect(reply).toMatchObject({ status: 200, body: { result: { ...accepted, mode } } });
        expect(drone.vehicle.state.mode).toBe(mode);
      }
    }),
  },
  {
    route: "POST /drone/action/set_mode",
    title: "answers a mode that the vehicle lacks with 500, naming those it has",
    run: flown(async ({ order }) => {
      const reply = await order("set_mode", { mode_info: { custom_mode: "SOMERSAULT" } });
      expect(reply.status).toBe(500);
      expect(reply.body.error).toContain("GUIDED");
    }),
  },
  {
    route: "POST /drone/action/motortest",
    title: "spins a motor of a disarmed drone",
    run: flown(async ({ order }) => {
      const reply = await order("motortest", { motor_id: 2, percentage: 10 });
      expect(reply).toMatchObject({ status: 200, body: { result: accepted } });
    }),
  },
  {
    route: "POST /drone/action/move",
    title: "goes east, north and up of home",
    run: flown(async (world) => {
      await takeOff(world);
      const reply = await world.order("move", { x: 20, y: 0, z: 15 });
      expect(reply).toMatchObject({ status: 200, body: { result: { result: "TARGET_CONFIRMED" } } });
      const { vehicle } = world.drone;
      const metresEast = () => (vehicle.state.position.lng - vehicle.state.home.lng) * 111_320 * 0.677;
      await eventually("it is 20 m east", () => Math.abs(metresEast() - 20) < 2);
      await eventually("it is 15 m up", () => Math.abs(vehicle.state.relativeAltitude - 15) < 1);
      expect(Math.abs(vehicle.state.position.lat - vehicle.state.home.lat) * 111_320).toBeLessThan(2);
    }),
  },
  {
    route: "POST /drone/action/goto_gps_location",
    title: "flies to the position at its height above home",
    run: flown(async (world) => {
      await takeOff(world);
      const { home } = world.drone.vehicle.state;
      const to = { lat: home.lat + 0.0003, lng: home.lng, altitude: 20 };
      const reply = await world.order("goto_gps_location", to);
      expect(reply).toMatchObject({ status: 200, body: { result: accepted } });
      await eventually("it is there", () => {
        const { position, relativeAltitude } = world.drone.vehicle.state;
        return Math.abs(position.lat - to.lat) < 2e-5 && Math.abs(relativeAltitude - 20) < 1;
      });
    }),
  },
];

const parameters: readonly ContractCase[] = [
  {
    route: "POST /drone/action/set_param",
    title: "answers the value as read back",
    run: flown(async ({ order, drone }) => {
      const reply = await order("set_param", { param_id: "FENCE_ENABLE", value: 1 });
      expect(reply).toMatchObject({ status: 200, body: { result: { param_id: "FENCE_ENABLE", value: 1 } } });
      expect(drone.vehicle.param("FENCE_ENABLE")).toBe(1);
    }),
  },
  {
    route: "POST /drone/action/set_param",
    title: "answers an unknown parameter with 500, naming it",
    run: flown(async ({ order }) => {
      const reply = await order("set_param", { param_id: "NO_SUCH_PARAM", value: 1 });
      expect(reply.status).toBe(500);
      expect(reply.body.error).toContain("NO_SUCH_PARAM");
    }),
  },
  {
    route: "POST /drone/action/set_params",
    title: "sets them in order",
    run: flown(async ({ order, drone }) => {
      const reply = await order("set_params", { params: { FENCE_ACTION: 1, FENCE_ENABLE: 1 } });
      expect(reply.status).toBe(200);
      expect(reply.body.result.written).toEqual([
        { param_id: "FENCE_ACTION", value: 1 },
        { param_id: "FENCE_ENABLE", value: 1 },
      ]);
      expect(drone.vehicle.param("FENCE_ENABLE")).toBe(1);
    }),
  },
  {
    route: "POST /drone/action/set_params",
    title: "names what was written, what failed and what was not tried",
    run: flown(async ({ order, drone }) => {
      const params = { FENCE_ACTION: 2, NO_SUCH_PARAM: 1, FENCE_ENABLE: 1 };
      const reply = await order("set_params", { params });
      expect(reply.status).toBe(500);
      expect(reply.body.error).toMatch(
        /NO_SUCH_PARAM was not set.*Written: FENCE_ACTION\..*Not tried: FENCE_ENABLE\./,
      );
      expect(drone.vehicle.param("FENCE_ACTION")).toBe(2);
      expect(drone.vehicle.param("FENCE_ENABLE")).toBe(0);
    }),
  },
];

const plans: readonly ContractCase[] = [
  {
    route: "POST /drone/action/push_mission",
    title: "uploads the waypoints with a takeoff before them, and gives the plan's hash",
    run: flown(async ({ order, user }) => {
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
        },
      });
    }),
  },
  {
    route: "POST /drone/action/push_mission",
    title: "adds no takeoff where the first waypoint is one",
    run: flown(async ({ order, user }) => {
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
    run: flown(async ({ order, user, otherUser }) => {
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
    run: flown(async ({ order, user, drone }) => {
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
    route: "POST /drone/action/start_mission",
    title: "climbs to the height at which the mission on board begins",
    run: flown(async ({ order, user, drone }) => {
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
    run: flown(async ({ order, drone }) => {
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
    run: flown(
      async ({ order }) => {
        expect(await order("start_mission")).toMatchObject({
          status: 200,
          body: { result: { mode: "GUIDED" } },
        });
      },
      { kind: "rover" },
    ),
  },
  {
    route: "POST /drone/action/push_geofence",
    title: "uploads the fence and says that the drone will not act on it as it is set",
    run: flown(async ({ order, user }) => {
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
    title: "uploads a geofence that is switched off all the same",
    run: flown(async ({ order, user }) => {
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
    run: flown(async ({ order, otherUser }) => {
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
    run: flown(async ({ order, user }) => {
      await order("push_geofence", { geofence_id: await storeTriangle(user.api) });
      expect(await order("clear_fence")).toMatchObject({ status: 200, body: { result: { items: 0 } } });
    }),
  },
  {
    route: "POST /drone/action/sync_geofences",
    title: "uploads all enabled geofences, and clears the fence when there is none",
    run: flown(async ({ order, user }) => {
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
  {
    route: "POST /drone/action/video-source",
    title: "reaches who listens on the drone's channel, and answers 500 when nobody does",
    run: flown(async ({ order, drone, gateway }) => {
      expect(await order("video-source", { source: "TEST" })).toMatchObject({ status: 500, body: refusal });
      const onboard = gateway.deps.redis.duplicate({ enableOfflineQueue: true });
      const heard: string[] = [];
      onboard.on("message", (_channel, payload) => heard.push(payload));
      await onboard.subscribe(`${drone.ip}:video_source`);
      expect(await order("video-source", { source: "CAMERA" })).toMatchObject({
        status: 200,
        body: { result: { source: "CAMERA", listeners: 1 } },
      });
      await eventually("it was heard", () => heard.length > 0);
      expect(heard).toEqual(['{"source":"CAMERA"}']);
      onboard.disconnect();
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

export const actionsContract: readonly ContractCase[] = [
  ...flights,
  ...parameters,
  ...plans,
  ...misfits,
  ...strangers,
];
