import { z } from "zod";
import type { Acknowledgement } from "../../vehicle";
import { type Action, action } from "./action";
import {
  Acknowledged,
  Altitude,
  East,
  Latitude,
  Longitude,
  Mode,
  ModeSet,
  MotorId,
  North,
  TakeoffAltitude,
  Throttle,
} from "./actions.schema";

const nothing = z.object({});

const arm = (path: string) =>
  action({
    path,
    summary: "Arm",
    description:
      "A simulated drone first receives the details of its video room. `arm` and `arm_drone` are the same. In a mode in " +
      "which the drone would set off by itself, such as AUTO, it is refused unless `force` is true; `force` overrides none " +
      "of the drone's own checks. The error has the drone's checks that fail.",
    body: z.object({
      force: z
        .boolean()
        .default(false)
        .describe(
          "Arm also in a mode in which the drone sets off by itself. The drone may still refuse: ArduPilot arms in few modes.",
        ),
    }),
    result: ModeSet,
    async run(order, { force }) {
      await order.beforeArm();
      const result = await order.onLink((link) => link.arm({ force }));
      return { message: `The drone is armed, in ${result.mode} mode.`, result };
    },
  });

/** The mode in which a drone holds and takes positions: PX4's offboard wants a stream of setpoints instead. */
const guided = { ardupilot: "GUIDED", px4: "HOLD" } as const;
const returnToLaunch = { ardupilot: "RTL", px4: "RTL" } as const;

const modeChange = (path: string, modes: Record<"ardupilot" | "px4", string>, summary: string) =>
  action({
    path,
    summary,
    emergency: true,
    body: nothing,
    result: ModeSet,
    async run(order) {
      const result = await order.onLink((link) => link.setMode(modes[link.vehicle.autopilot]));
      return { message: `The drone is in ${result.mode} mode.`, result };
    },
  });

/** A setpoint has no acknowledgement: a vehicle that reports its target confirms it, others leave it unconfirmed. */
const moving = ({ result }: Acknowledgement, where: string): string =>
  result === "TARGET_UNCONFIRMED"
    ? `The drone was told to go to ${where}; it has not shown that it will.`
    : `The drone goes to ${where}.`;

/** Orders that the vehicle acknowledges at once and then carries out. */
export const flightActions: readonly Action[] = [
  arm("arm"),
  arm("arm_drone"),
  action({
    path: "disarm_drone",
    summary: "Disarm",
    description: "A drone in the air refuses, unless `force` is true.",
    emergency: true,
    body: z.object({
      force: z.boolean().default(false).describe("Stop the motors in the air too: the drone falls."),
    }),
    result: Acknowledged,
    async run(order, { force }) {
      // A gateway of the release before takes no argument.
      const result = await order.onLink((link) => (force ? link.disarm({ force }) : link.disarm()));
      return { message: "The drone is disarmed.", result };
    },
  }),
  action({
    path: "takeoff",
    summary: "Take off in guided mode",
    description:
      "Only from the ground, and only an armed drone. A drone that refuses is put back into its mode, and the error says in " +
      "which one it is.",
    body: z.object({ altitude: TakeoffAltitude }),
    result: Acknowledged,
    async run(order, { altitude }) {
      const result = await order.onLink((link) => link.takeoff(altitude));
      return { message: `The drone takes off to ${altitude} m.`, result };
    },
  }),
  action({
    path: "land",
    summary: "Land where it is",
    emergency: true,
    body: nothing,
    result: ModeSet,
    async run(order) {
      const result = await order.onLink((link) => link.land());
      return { message: `The drone is in ${result.mode} mode.`, result };
    },
  }),
  modeChange("rtl", returnToLaunch, "Return to launch"),
  modeChange("guided", guided, "Switch to guided mode"),
  action({
    path: "set_mode",
    summary: "Set a flight mode",
    emergency: true,
    body: z.object({ mode_info: z.object({ custom_mode: Mode }) }),
    result: ModeSet,
    async run(order, { mode_info }) {
      const result = await order.onLink((link) => link.setMode(mode_info.custom_mode));
      return { message: `The drone is in ${result.mode} mode.`, result };
    },
  }),
  action({
    path: "motortest",
    summary: "Spin one motor for two seconds",
    description: "Only while the drone is disarmed. A motor that its frame does not have is refused.",
    body: z.object({ motor_id: MotorId, percentage: Throttle }),
    result: Acknowledged,
    async run(order, { motor_id, percentage }) {
      const result = await order.onLink((link) => link.motorTest(motor_id, percentage));
      return { message: `Motor ${motor_id} spins at ${percentage} %.`, result };
    },
  }),
  action({
    path: "move",
    summary: "Go to a local position",
    description:
      "East, north and up of home, in metres. Refused while the drone is disarmed. A copter of ArduPilot must be in the air.",
    body: z.object({ x: East, y: North, z: Altitude }),
    result: Acknowledged,
    async run(order, { x, y, z: up }) {
      const result = await order.onLink((link) => link.move({ x, y, z: up }));
      return { message: moving(result, `${x} m east, ${y} m north, ${up} m up`), result };
    },
  }),
  action({
    path: "goto_gps_location",
    summary: "Go to a position",
    description: "Refused while the drone is disarmed. A copter of ArduPilot must be in the air.",
    body: z.object({ lat: Latitude, lng: Longitude, altitude: Altitude }),
    result: Acknowledged,
    async run(order, to) {
      const result = await order.onLink((link) => link.goTo(to));
      return { message: moving(result, `${to.lat}, ${to.lng} at ${to.altitude} m`), result };
    },
  }),
];
