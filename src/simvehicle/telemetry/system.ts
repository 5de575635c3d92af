import { build } from "../../vehicle/mavlink/wire/codec";
import {
  ardupilotmega,
  common,
  type MavLinkData,
  minimal,
  standard,
} from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { remaining } from "../safety/battery";
import { bootMillis, throttlePercent } from "./navigation";

/** What of the vehicle's state lies outside its flight. */
export interface SystemView {
  readonly flight: Flight;
  /** Pre-arm checks pass. */
  readonly ready: boolean;
  /** A failsafe has taken over. */
  readonly failsafe: boolean;
  readonly wallClock: () => number;
}

const BaseMode = {
  custom: 1,
  auto: 4,
  guided: 8,
  stabilize: 16,
  manual: 64,
  armed: 128,
} as const;
const STICKS = new Set(["manual", "climb-rate"]);

export function heartbeat({ flight, failsafe, ready }: SystemView): MavLinkData {
  const px4 = flight.autopilot === "px4";
  return build(minimal.Heartbeat, {
    type: flight.kind === "copter" ? minimal.MavType.QUADROTOR : minimal.MavType.GROUND_ROVER,
    autopilot: px4 ? minimal.MavAutopilot.PX4 : minimal.MavAutopilot.ARDUPILOTMEGA,
    baseMode: baseMode(flight) as minimal.MavModeFlag,
    customMode: flight.mode.number,
    systemStatus: systemState(flight, failsafe, ready),
    mavlinkVersion: 3,
  });
}

function baseMode(flight: Flight): number {
  const { mode, autopilot, kind } = flight;
  const sticks = STICKS.has(mode.behaviour);
  // A motor test spins armed motors, and says so.
  const armed = (flight.armed || flight.motorTest !== undefined ? BaseMode.armed : 0) | BaseMode.custom;
  if (autopilot === "px4") {
    const mixed = BaseMode.stabilize | BaseMode.guided | BaseMode.auto;
    return armed | (sticks ? BaseMode.manual | BaseMode.stabilize : mixed);
  }
  if (kind === "rover")
    return armed | (sticks ? BaseMode.manual : mode.behaviour === "stop" ? 0 : BaseMode.guided);
  const position = mode.position && mode.behaviour !== "land" ? BaseMode.guided : 0;
  return armed | BaseMode.stabilize | BaseMode.manual | position;
}

function systemState(flight: Flight, failsafe: boolean, ready: boolean): minimal.MavState {
  const { MavState } = minimal;
  if (failsafe) return MavState.CRITICAL;
  if (!ready && flight.time < flight.options.bootSeconds * 0.1) return MavState.BOOT;
  if (flight.kind === "copter") return flight.landed ? MavState.STANDBY : MavState.ACTIVE;
  return flight.armed ? MavState.ACTIVE : MavState.STANDBY;
}

/** MAV_SYS_STATUS_SENSOR bits of what a small vehicle carries. */
const SENSOR = {
  gyro: 0x1,
  accelerometer: 0x2,
  magnetometer: 0x4,
  pressure: 0x8,
  gps: 0x20,
  rates: 0x400,
  attitude: 0x800,
  yaw: 0x1000,
  height: 0x2000,
  position: 0x4000,
  motors: 0x8000,
  receiver: 0x10000,
  fence: 0x100000,
  ahrs: 0x200000,
  logging: 0x1000000,
  battery: 0x2000000,
  prearm: 0x10000000,
} as const;

export function systemStatus({ flight, ready }: SystemView): MavLinkData {
  const present = Object.values(SENSOR).reduce((bits, bit) => bits | bit, 0) >>> 0;
  let enabled = present;
  if (!flight.armed) enabled &= ~(SENSOR.motors | SENSOR.logging);
  if (flight.params.get("FENCE_ENABLE") !== 1) enabled &= ~SENSOR.fence;
  let healthy = present;
  if (!flight.hasPosition) healthy &= ~(SENSOR.gps | SENSOR.ahrs);
  if (!ready) healthy &= ~SENSOR.prearm;
  const { battery } = flight;
  return build(common.SysStatus, {
    onboardControlSensorsPresent: present as common.MavSysStatusSensor,
    onboardControlSensorsEnabled: (enabled >>> 0) as common.MavSysStatusSensor,
    onboardControlSensorsHealth: (healthy >>> 0) as common.MavSysStatusSensor,
    load: flight.armed ? 310 : 240,
    voltageBattery: Math.round(battery.volts * 1000),
    currentBattery: Math.round(battery.amperes * 100),
    batteryRemaining: Math.round(remaining(battery) * 100),
  });
}

const NO_CELL = 65_535;

export function batteryStatus({ flight }: SystemView): MavLinkData {
  const { battery } = flight;
  const cells = flight.autopilot === "px4" ? battery.cells : 1;
  const each = Math.round((battery.volts / cells) * 1000);
  return build(common.BatteryStatus, {
    id: 0,
    batteryFunction: common.MavBatteryFunction.UNKNOWN,
    type: common.MavBatteryType.UNKNOWN,
    temperature: 32_767,
    voltages: Array.from({ length: 10 }, (_, at) => (at < cells ? each : NO_CELL)),
    currentBattery: Math.round(battery.amperes * 100),
    currentConsumed: Math.round(battery.used),
    energyConsumed: Math.round(battery.used * battery.volts * 0.036),
    batteryRemaining: Math.round(remaining(battery) * 100),
    timeRemaining: 0,
    chargeState: common.MavBatteryChargeState.OK,
    voltagesExt: [0, 0, 0, 0],
  });
}

export const powerStatus = (): MavLinkData =>
  build(common.PowerStatus, { Vcc: 5000, Vservo: 0, flags: 0 as common.MavPowerStatus });

/** IN_AIR and its siblings; a rover is always on the ground. */
export function extendedState({ flight }: SystemView): MavLinkData {
  const { MavLandedState, MavVtolState } = common;
  const landing = flight.mode.behaviour === "land";
  const takingOff = flight.guided.kind === "takeoff";
  const airborne = landing
    ? MavLandedState.LANDING
    : takingOff
      ? MavLandedState.TAKEOFF
      : MavLandedState.IN_AIR;
  return build(common.ExtendedSysState, {
    vtolState: MavVtolState.UNDEFINED,
    landedState: flight.landed ? MavLandedState.ON_GROUND : airborne,
  });
}

export const systemTime = ({ flight, wallClock }: SystemView): MavLinkData =>
  build(common.SystemTime, { timeUnixUsec: BigInt(wallClock()) * 1000n, timeBootMs: bootMillis(flight) });

export function missionCurrent({ flight }: SystemView): MavLinkData {
  const { mission, run, autopilot } = flight;
  const { MissionState } = common;
  const running = run.state === "running" && flight.mode.behaviour === "auto";
  const state = mission.isEmpty
    ? MissionState.NO_MISSION
    : run.state === "complete"
      ? MissionState.COMPLETE
      : running
        ? MissionState.ACTIVE
        : MissionState.NOT_STARTED;
  // ArduPilot does not count home, and has 65535 for no mission at all.
  const total = autopilot === "px4" ? mission.count : mission.isEmpty ? 65_535 : mission.count - 1;
  const idle = autopilot === "ardupilot" && run.state === "idle" && run.seq === mission.firstSeq;
  return build(common.MissionCurrent, {
    seq: mission.isEmpty || idle ? 0 : run.seq,
    total,
    missionState: state,
    missionMode: flight.mode.behaviour === "auto" ? 1 : 2,
  });
}

export function servoOutputs({ flight }: SystemView): MavLinkData {
  const { motorTest } = flight;
  const pwm = (motor: number): number => {
    if (motorTest) return motorTest.motor === motor ? 1000 + motorTest.throttle * 10 : 1000;
    return flight.armed ? 1100 + throttlePercent(flight) * 8 : 1000;
  };
  return build(common.ServoOutputRaw, {
    timeUsec: (bootMillis(flight) * 1000) >>> 0,
    port: 0,
    servo1Raw: pwm(1),
    servo2Raw: pwm(2),
    servo3Raw: pwm(3),
    servo4Raw: pwm(4),
  });
}

export function radioChannels({ flight }: SystemView): MavLinkData {
  const [c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0] = flight.pilot.channels(flight.now);
  return build(common.RcChannels, {
    timeBootMs: bootMillis(flight),
    chancount: 16,
    chan1Raw: Math.round(c1),
    chan2Raw: Math.round(c2),
    chan3Raw: Math.round(c3),
    chan4Raw: Math.round(c4),
    chan5Raw: c5,
    chan6Raw: c6,
    chan7Raw: c7,
    chan8Raw: c8,
    rssi: 255,
  });
}

export const memory = (): MavLinkData =>
  build(ardupilotmega.MemInfo, { freemem: 65_535, freemem32: 131_072 });

export function fenceStatus({ flight }: SystemView, breached: boolean, count: number): MavLinkData {
  return build(common.FenceStatus, {
    breachStatus: breached ? 1 : 0,
    breachCount: count,
    breachType: breached ? common.FenceBreach.BOUNDARY : common.FenceBreach.NONE,
    breachTime: breached ? bootMillis(flight) : 0,
  });
}

/** Firmware version as FLIGHT_SW_VERSION packs it, 255 for an official release. */
const release = (major: number, minor: number, patch: number): number =>
  ((major << 24) | (minor << 16) | (patch << 8) | 255) >>> 0;

export function autopilotVersion({ flight }: SystemView): MavLinkData {
  const { MavProtocolCapability: Can } = standard;
  const shared =
    Can.MISSION_FLOAT |
    Can.MISSION_INT |
    Can.COMMAND_INT |
    Can.SET_POSITION_TARGET_LOCAL_NED |
    Can.SET_POSITION_TARGET_GLOBAL_INT |
    Can.MISSION_FENCE |
    Can.MAVLINK2;
  const px4 = flight.autopilot === "px4";
  const own = px4 ? Can.PARAM_ENCODE_BYTEWISE : Can.PARAM_FLOAT;
  const ardupilot = flight.options.firmware === "4.6" ? release(4, 6, 3) : release(4, 7, 0);
  return build(standard.AutopilotVersion, {
    // A 64-bit field: the library writes a bigint, though its type says otherwise.
    capabilities: BigInt(shared | own) as unknown as standard.MavProtocolCapability,
    flightSwVersion: px4 ? release(1, 15, 4) : ardupilot,
    flightCustomVersion: [...Buffer.from("simulate")],
    middlewareCustomVersion: new Array(8).fill(0),
    osCustomVersion: new Array(8).fill(0),
    uid: BigInt(flight.options.systemId),
    uid2: new Array(18).fill(0),
  });
}
