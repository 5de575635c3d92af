import type { ContractCase } from "../../testing/contract";
import { eventually } from "../../testing/until";
import { accepted, takeOff, withFlownDrone } from "../../testing/worlds/flown-drone";
import { actionTable } from "./actions.table";

const refusal = { error: expect.any(String) };

/** For each action: a body that fits, one that does not, and the field that the refusal names. */
const rows: readonly [path: string, fits: object, misfit: object, names: string][] = [
  ["arm", {}, { drone_id: "x" }, "drone_id"],
  ["arm_drone", {}, { drone_id: null }, "drone_id"],
  ["disarm_drone", {}, { drone_id: -1 }, "drone_id"],
  ["disarm_drone", {}, { force: "true" }, "force"],
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

const othersDrones: readonly ContractCase[] = actionTable
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

const flights: readonly ContractCase[] = [
  ...["arm", "arm_drone"].map((path) => ({
    route: `POST /drone/action/${path}`,
    title: "arms the drone",
    run: withFlownDrone(async ({ order, drone }) => {
      const reply = await order(path);
      expect(reply).toMatchObject({ status: 200, body: { message: expect.any(String), result: accepted } });
      expect(drone.vehicle.state.armed).toBe(true);
    }),
  })),
  {
    route: "POST /drone/action/arm",
    title: "answers a vehicle that refuses with 500 and the vehicle's own reason",
    run: withFlownDrone(
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
    run: withFlownDrone(async ({ order, drone }) => {
      await order("arm");
      expect(await order("disarm_drone")).toMatchObject({ status: 200, body: { result: accepted } });
      expect(drone.vehicle.state.armed).toBe(false);
    }),
  },
  {
    route: "POST /drone/action/disarm_drone",
    title: "answers a drone in the air with 500, and stops its motors all the same with force",
    run: withFlownDrone(async (world) => {
      await takeOff(world);
      expect(await world.order("disarm_drone")).toMatchObject({ status: 500, body: refusal });
      expect(world.drone.vehicle.state.armed).toBe(true);
      const forced = await world.order("disarm_drone", { force: true });
      expect(forced).toMatchObject({ status: 200, body: { result: accepted } });
      expect(world.drone.vehicle.state.armed).toBe(false);
    }),
  },
  {
    route: "POST /drone/action/takeoff",
    title: "climbs to the altitude",
    run: withFlownDrone(async ({ order, drone }) => {
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
    run: withFlownDrone(async ({ order, drone }) => {
      expect(await order("takeoff", { altitude: 12 })).toMatchObject({ status: 500, body: refusal });
      expect(drone.vehicle.state.landed).toBe(true);
    }),
  },
  {
    route: "POST /drone/action/land",
    title: "comes down where it is",
    run: withFlownDrone(async (world) => {
      await takeOff(world);
      expect(await world.order("land")).toMatchObject({ status: 200, body: { result: accepted } });
      await eventually("it is down", () => world.drone.vehicle.state.landed);
    }),
  },
  {
    route: "POST /drone/action/rtl",
    title: "is in the mode that brings it home",
    run: withFlownDrone(async (world) => {
      await takeOff(world);
      const reply = await world.order("rtl");
      expect(reply).toMatchObject({ status: 200, body: { result: { ...accepted, mode: "RTL" } } });
      expect(world.drone.vehicle.state.mode).toBe("RTL");
    }),
  },
  {
    route: "POST /drone/action/guided",
    title: "is in guided mode",
    run: withFlownDrone(async ({ order, drone }) => {
      const reply = await order("guided");
      expect(reply).toMatchObject({ status: 200, body: { result: { ...accepted, mode: "GUIDED" } } });
      expect(drone.vehicle.state.mode).toBe("GUIDED");
    }),
  },
  {
    route: "POST /drone/action/guided",
    title: "holds a PX4 vehicle, which takes positions there",
    run: withFlownDrone(
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
    run: withFlownDrone(async ({ order, drone }) => {
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
    run: withFlownDrone(async ({ order }) => {
      const reply = await order("set_mode", { mode_info: { custom_mode: "SOMERSAULT" } });
      expect(reply.status).toBe(500);
      expect(reply.body.error).toContain("GUIDED");
    }),
  },
  {
    route: "POST /drone/action/motortest",
    title: "spins a motor of a disarmed drone",
    run: withFlownDrone(async ({ order }) => {
      const reply = await order("motortest", { motor_id: 2, percentage: 10 });
      expect(reply).toMatchObject({ status: 200, body: { result: accepted } });
    }),
  },
  {
    route: "POST /drone/action/move",
    title: "goes east, north and up of home",
    run: withFlownDrone(async (world) => {
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
    run: withFlownDrone(async (world) => {
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
    run: withFlownDrone(async ({ order, drone }) => {
      const reply = await order("set_param", { param_id: "FENCE_ENABLE", value: 1 });
      expect(reply).toMatchObject({ status: 200, body: { result: { param_id: "FENCE_ENABLE", value: 1 } } });
      expect(drone.vehicle.param("FENCE_ENABLE")).toBe(1);
    }),
  },
  {
    route: "POST /drone/action/set_param",
    title: "answers an unknown parameter with 500, naming it",
    run: withFlownDrone(async ({ order }) => {
      const reply = await order("set_param", { param_id: "NO_SUCH_PARAM", value: 1 });
      expect(reply.status).toBe(500);
      expect(reply.body.error).toContain("NO_SUCH_PARAM");
    }),
  },
  {
    route: "POST /drone/action/set_params",
    title: "sets them in order",
    run: withFlownDrone(async ({ order, drone }) => {
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
    run: withFlownDrone(async ({ order, drone }) => {
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

const video: readonly ContractCase[] = [
  {
    route: "POST /drone/action/video-source",
    title: "reaches subscribers of the drone's channel, and answers 500 without any",
    run: withFlownDrone(async ({ order, drone, gateway }) => {
      expect(await order("video-source", { source: "TEST" })).toMatchObject({ status: 500, body: refusal });
      const onboard = gateway.deps.redis.duplicate({ enableOfflineQueue: true });
      const received: string[] = [];
      onboard.on("message", (_channel, payload) => received.push(payload));
      await onboard.subscribe(`${drone.ip}:video_source`);
      expect(await order("video-source", { source: "CAMERA" })).toMatchObject({
        status: 200,
        body: { result: { source: "CAMERA", listeners: 1 } },
      });
      await eventually("it was heard", () => received.length > 0);
      expect(received).toEqual(['{"source":"CAMERA"}']);
      onboard.disconnect();
    }),
  },
];

export const actionsContract: readonly ContractCase[] = [
  ...flights,
  ...parameters,
  ...video,
  ...misfits,
  ...othersDrones,
];
