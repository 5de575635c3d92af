import { offsetBy } from "../../domain/geo";
import { isPx4, isRover, vehicleOf } from "./autopilot";
import { storePlan } from "./plans";
import { stayArmed, type TestedVehicle } from "./tested-vehicle";
import type { ObservedState } from "./witness";

/** Metres. */
const HEIGHT = 15;
/** From here a landing takes longer than a few orders. */
const LANDING_HEIGHT = 40;
const ALMOST_LANDED = 12;
const MISSION_METRES = 60;
/** Seconds at a waypoint: the mission outlasts the orders. */
const STAY = 3600;

/** A state of a vehicle in which orders are given. */
export interface VehicleState {
  readonly name: string;
  /** Whether a rover gets there. */
  readonly ofRovers: boolean;
  /** Brings a vehicle there from any state. */
  enter(vehicle: TestedVehicle): Promise<void>;
  isIn(vehicle: TestedVehicle, seen: ObservedState): boolean;
}

/** Parameters with which a vehicle stays in each state for as long as the orders take, and shows its failsafe. */
const STAYS = {
  ardupilot: {
    copter: { RTL_LOIT_TIME: 60_000, FS_THR_ENABLE: 1 },
    rover: { FS_ACTION: 2 },
  },
  px4: {
    copter: { RTL_LAND_DELAY: -1, NAV_RCL_ACT: 2 },
    rover: { NAV_RCL_ACT: 2 },
  },
} as const;

export async function prepareStates(vehicle: TestedVehicle): Promise<void> {
  await stayArmed(vehicle);
  const { autopilot, kind } = vehicleOf(vehicle.name);
  for (const [param, value] of Object.entries(STAYS[autopilot][kind]))
    await vehicle.witness.setParam(param, value);
}

const shows = (vehicle: TestedVehicle, what: string, holds: (seen: ObservedState) => boolean, seconds = 60) =>
  vehicle.witness.until(
    what,
    async () => {
      const seen = await vehicle.witness.fresh();
      return holds(seen) && seen;
    },
    seconds,
  );

const setMode = (vehicle: TestedVehicle, mode: string) =>
  vehicle.carryOut("set_mode", { mode_info: { custom_mode: mode } });

const GUIDED = { copter: 4, rover: 15, px4: 0x03040000 } as const;
const guidedOf = ({ name }: TestedVehicle): number =>
  isPx4(name) ? GUIDED.px4 : isRover(name) ? GUIDED.rover : GUIDED.copter;

/** PX4's failsafe keeps its mode until it has seen the sticks again. */
const guide = ({ witness, order }: TestedVehicle) =>
  witness.until("guided mode", async () => (await order("guided")).status === 200, 30);

/** On the ground and disarmed, in the mode that takes positions. */
async function land(vehicle: TestedVehicle): Promise<void> {
  const { name, witness, order } = vehicle;
  await pilot(vehicle, true);
  if ((await witness.fresh()).armed && !isRover(name)) {
    await vehicle.carryOut("land");
    const stands = ({ relativeAltitude, climb }: ObservedState) =>
      relativeAltitude < 0.7 && Math.abs(climb) < 0.05;
    await shows(vehicle, "the landing", (seen) => !seen.armed || stands(seen), 120);
  }
  await guide(vehicle);
  await witness.until("the disarming", async () => (await order("disarm_drone")).status === 200);
  await shows(vehicle, "the disarming", (seen) => !seen.armed);
  // In the air, sticks that are not held trigger a failsafe. PX4 minds their loss after an arming, and not before it.
  await witness.holdSticks(false);
  const { clock } = await witness.fresh();
  await shows(vehicle, "a second without sticks", (seen) => seen.clock > clock + 1);
}

async function arm(vehicle: TestedVehicle): Promise<void> {
  await land(vehicle);
  const { witness, order } = vehicle;
  await witness.readyToArm();
  // ArduPilot believes sticks that were let go for three seconds more.
  await witness.until("the arming", async () => (await order("arm")).status === 200, 15);
}

async function fly(vehicle: TestedVehicle, height: number = HEIGHT): Promise<void> {
  const { name, witness } = vehicle;
  await pilot(vehicle, true);
  const { armed, relativeAltitude, lat, lng } = await witness.fresh();
  if (isRover(name)) {
    if (armed) await guide(vehicle);
    else await arm(vehicle);
    return;
  }
  if (!armed || relativeAltitude < ALMOST_LANDED / 2) {
    await arm(vehicle);
    await vehicle.carryOut("takeoff", { altitude: height });
  } else {
    await guide(vehicle);
    await vehicle.carryOut("goto_gps_location", { lat, lng, altitude: height });
  }
  await shows(vehicle, "the height", (seen) => Math.abs(seen.relativeAltitude - height) < 1.5);
  // PX4 leaves its takeoff by itself.
  await shows(vehicle, "the mode that takes positions", (seen) => seen.customMode === guidedOf(vehicle));
}

/** Whether the pilot's sticks reach the vehicle: ArduPilot's own radio, of PX4 the witness's sticks once it had some. */
async function pilot({ name, witness }: TestedVehicle, present: boolean): Promise<void> {
  if (!isPx4(name)) {
    await witness.holdSticks(false);
    await witness.setParam("SIM_RC_FAIL", present ? 0 : 1);
  } else if (!present) await witness.holdSticks(false);
  else if ((await witness.fresh()).armed) await witness.holdSticks(true);
}

const BY_STICKS = { copter: 5, rover: 0, px4: 0x00030000 } as const;
const FAILSAFE = { copter: 6, rover: 4, px4: 0x05040000 } as const;
const MISSION = { copter: 3, rover: 10, px4: 0x04040000 } as const;
const LANDING = { copter: 9, rover: -1, px4: 0x06040000 } as const;
const of = ({ name }: TestedVehicle, modes: Record<"copter" | "rover" | "px4", number>): number =>
  isPx4(name) ? modes.px4 : isRover(name) ? modes.rover : modes.copter;

export const STATES: readonly VehicleState[] = [
  {
    name: "disarmed",
    ofRovers: true,
    enter: land,
    isIn: (vehicle, { armed, customMode }) => !armed && customMode === guidedOf(vehicle),
  },
  {
    name: "armed on the ground",
    ofRovers: false,
    enter: arm,
    isIn: (vehicle, { armed, customMode, relativeAltitude }) =>
      armed && relativeAltitude < 1 && customMode === guidedOf(vehicle),
  },
  {
    name: "in guided mode",
    ofRovers: true,
    enter: fly,
    isIn: (vehicle, { armed, customMode, relativeAltitude }) =>
      armed && customMode === guidedOf(vehicle) && (isRover(vehicle.name) || relativeAltitude > HEIGHT / 2),
  },
  {
    name: "flown with sticks",
    ofRovers: true,
    async enter(vehicle) {
      await fly(vehicle);
      await vehicle.witness.holdSticks(true);
      await setMode(vehicle, isPx4(vehicle.name) ? "POSCTL" : isRover(vehicle.name) ? "MANUAL" : "LOITER");
    },
    isIn: (vehicle, { armed, customMode }) => armed && customMode === of(vehicle, BY_STICKS),
  },
  {
    name: "in a mission",
    ofRovers: true,
    async enter(vehicle) {
      await fly(vehicle);
      const home = await vehicle.witness.fresh();
      const rows = [
        { north: MISSION_METRES / 2, altitude: HEIGHT },
        { north: MISSION_METRES, altitude: HEIGHT, param1: STAY },
        { north: 0, altitude: HEIGHT },
      ];
      await vehicle.carryOut("push_mission", { mission_id: await storePlan(vehicle.api, home, rows) });
      await setMode(vehicle, "AUTO");
    },
    isIn: (vehicle, { armed, customMode }) => armed && customMode === of(vehicle, MISSION),
  },
  {
    name: "landing",
    ofRovers: false,
    async enter(vehicle) {
      await fly(vehicle, LANDING_HEIGHT);
      await vehicle.carryOut("land");
    },
    isIn: (vehicle, { armed, customMode, relativeAltitude }) =>
      armed && customMode === of(vehicle, LANDING) && relativeAltitude > ALMOST_LANDED,
  },
  {
    name: "in its failsafe without the radio",
    ofRovers: true,
    async enter(vehicle) {
      const { name, witness } = vehicle;
      await fly(vehicle);
      const home = await witness.fresh();
      if (isPx4(name)) {
        await witness.holdSticks(true);
        await witness.until("that it takes the sticks", async () => {
          const { status } = await vehicle.order("set_mode", { mode_info: { custom_mode: "POSCTL" } });
          return status === 200;
        });
      } else await vehicle.carryOut("goto_gps_location", { ...offsetBy(home, 5, 0), altitude: HEIGHT });
      await pilot(vehicle, false);
      await shows(vehicle, "the failsafe", (seen) => seen.customMode === of(vehicle, FAILSAFE));
    },
    isIn: (vehicle, { armed, customMode }) => armed && customMode === of(vehicle, FAILSAFE),
  },
];
