import type { ContractCase } from "../../testing/contract";
import { takeOff, withFlownDrone } from "../../testing/worlds/flown-drone";
import { missionPoint } from "../../testing/worlds/plans";

const refused = (why: RegExp) => ({ status: 500, body: { error: expect.stringMatching(why) } });

/** Orders that cannot be carried out as the drone stands, and what they leave behind. */
export const ordersContract: readonly ContractCase[] = [
  {
    route: "POST /drone/action/takeoff",
    title: "changes nothing on a disarmed drone, nor on one in the air",
    run: withFlownDrone(async (world) => {
      const { order, drone } = world;
      expect(await order("takeoff", { altitude: 12 })).toMatchObject(refused(/it is not armed/));
      expect(drone.vehicle.state).toMatchObject({ mode: "STABILIZE", armed: false });
      await takeOff(world);
      await order("set_mode", { mode_info: { custom_mode: "LOITER" } });
      expect(await order("takeoff", { altitude: 30 })).toMatchObject(refused(/already in the air/));
      expect(drone.vehicle.state.mode).toBe("LOITER");
    }),
  },
  {
    route: "POST /drone/action/takeoff",
    title: "leaves nothing on a disarmed drone of PX4 that its next arming would launch",
    run: withFlownDrone(
      async ({ order, drone }) => {
        expect(await order("takeoff", { altitude: 12 })).toMatchObject(refused(/it is not armed/));
        expect(drone.vehicle.state.mode).toBe("AUTO_LOITER");
        expect(await order("arm")).toMatchObject({ status: 200, body: { result: { mode: "AUTO.LOITER" } } });
      },
      { autopilot: "px4" },
    ),
  },
  ...["arm", "arm_drone"].map((path) => ({
    route: `POST /drone/action/${path}`,
    title: "answers what PX4 refuses without a reason by the checks that fail now",
    run: withFlownDrone(
      async ({ order }) => {
        await order("set_param", { param_id: "COM_ARMABLE", value: 0 });
        const denied = "Arming denied: Resolve system health failures first";
        // Its own text of the check may come beside its answer, and nothing else.
        const says = (text: string, parameter = "") => {
          const one = `(${denied}|(Preflight Fail: )?${text}(${parameter})?)`;
          return refused(new RegExp(`^(?=.*${denied})(?=.*${text}${parameter})[^:]+: ${one}(; ${one})*$`));
        };
        expect(await order(path)).toMatchObject(
          says("Vehicle is in safety configuration", " \\(COM_ARMABLE\\)"),
        );
        await order("set_param", { param_id: "COM_ARMABLE", value: 1 });
        await order("set_mode", { mode_info: { custom_mode: "AUTO.LAND" } });
        expect(await order(path)).toMatchObject(says("Mode not suitable for arming"));
        await order("set_mode", { mode_info: { custom_mode: "AUTO.LOITER" } });
        expect(await order(path)).toMatchObject({ status: 200 });
      },
      { autopilot: "px4" },
    ),
  })),
  ...[
    ["goto_gps_location", { lat: 47.398, lng: 8.546, altitude: 20 }] as const,
    ["move", { x: 10, y: 10, z: 10 }] as const,
  ].map(([path, body]) => ({
    route: `POST /drone/action/${path}`,
    title: "changes nothing on a disarmed drone, nor on a copter on the ground",
    run: withFlownDrone(async ({ order, drone }) => {
      expect(await order(path, body)).toMatchObject(refused(/it is not armed/));
      await order("arm");
      expect(await order(path, body)).toMatchObject(refused(/it is on the ground/));
      expect(drone.vehicle.state).toMatchObject({ mode: "STABILIZE", landed: true });
    }),
  })),
  {
    route: "POST /drone/action/goto_gps_location",
    title: "is refused when PX4 accepts it and then says that it lies outside of the fence",
    run: withFlownDrone(
      async (world) => {
        const { order, drone, user } = world;
        await takeOff(world);
        const { id } = (
          await user.api.post("/geofence", { name: "near", type: "circle", fence_type: "inclusion" })
        ).body;
        const { lat, lng } = drone.vehicle.state.home;
        const centre = { geofence_id: id, lat, lng, sequence: 1, command: 5003, param1: 100 };
        await user.api.post("/geofence/point", [centre]);
        await order("push_geofence", { geofence_id: id });
        const reply = await order("goto_gps_location", { lat: lat + 0.01, lng, altitude: 20 });
        expect(reply).toMatchObject(refused(/Reposition is outside geofence/));
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/arm",
    title: "is refused in the mode that flies the mission unless force is true, and says the mode",
    run: withFlownDrone(
      async ({ order, drone, user }) => {
        const { id } = (await user.api.post("/mission", { name: "landed" })).body;
        await user.api.post("/mission/point", [{ ...missionPoint, mission_id: id }]);
        await order("push_mission", { mission_id: id });
        await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
        expect(await order("arm")).toMatchObject(refused(/not sent.*AUTO\.MISSION.*force: true/));
        expect(drone.vehicle.state.armed).toBe(false);
        expect(await order("arm", { force: true })).toMatchObject({
          status: 200,
          body: { message: expect.stringContaining("AUTO.MISSION"), result: { mode: "AUTO.MISSION" } },
        });
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/motortest",
    title: "answers a motor that the frame lacks with 500, and no motor spins",
    run: withFlownDrone(async ({ order }) => {
      const reply = await order("motortest", { motor_id: 5, percentage: 10 });
      expect(reply).toMatchObject(refused(/4 motors \(FRAME_CLASS = 1\)/));
    }),
  },
  {
    route: "POST /drone/action/motortest",
    title: "spins a motor of a rover, and none that has no output",
    run: withFlownDrone(
      async ({ order }) => {
        const reply = await order("motortest", { motor_id: 3, percentage: 10 });
        expect(reply).toMatchObject({ status: 200, body: { result: { result: "MAV_RESULT_ACCEPTED" } } });
        expect(await order("motortest", { motor_id: 2, percentage: 10 })).toMatchObject(
          refused(/This rover has no motor 2/),
        );
      },
      { kind: "rover" },
    ),
  },
  {
    route: "POST /drone/action/motortest",
    title: "spins a motor of PX4",
    run: withFlownDrone(
      async ({ order }) => {
        const reply = await order("motortest", { motor_id: 4, percentage: 10 });
        expect(reply).toMatchObject({ status: 200, body: { result: { result: "MAV_RESULT_ACCEPTED" } } });
        expect(await order("motortest", { motor_id: 5, percentage: 10 })).toMatchObject(refused(/4 motors/));
      },
      { autopilot: "px4" },
    ),
  },
  {
    route: "POST /drone/action/set_mode",
    title: "answers a mode that no order enters with 500, by its name",
    run: withFlownDrone(
      async ({ order }) => {
        const reply = await order("set_mode", { mode_info: { custom_mode: "auto.ready" } });
        expect(reply).toMatchObject(refused(/No order enters the mode AUTO\.READY/));
      },
      { autopilot: "px4" },
    ),
  },
];
