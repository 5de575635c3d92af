import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData, minimal } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { isPiloted } from "../modes";
import { remaining } from "../safety/battery";

/** The state from which telemetry messages are made. */
export interface TelemetryView {
  readonly flight: Flight;
  /** Pre-arm checks pass. */
  readonly ready: boolean;
  /** A failsafe has taken over. */
  readonly failsafe: boolean;
}

const BaseMode = {
  custom: 1,
  auto: 4,
  guided: 8,
  stabilize: 16,
  manual: 64,
  armed: 128,
} as const;

export function heartbeat({ flight, failsafe, ready }: TelemetryView): MavLinkData {
  const px4 = flight.autopilot === "px4";
  return build(minimal.Heartbeat, {
    type: flight.kind === "copter" ? minimal.MavType.QUADROTOR : minimal.MavType.GROUND_ROVER,
    autopilot: px4 ? minimal.MavAutopilot.PX4 : minimal.MavAutopilot.ARDUPILOTMEGA,
    baseMode: baseMode(flight),
    customMode: flight.mode.number,
    systemStatus: systemState(flight, failsafe, ready),
    mavlinkVersion: 3,
  });
}

function baseMode(flight: Flight): number {
  const { mode, autopilot, kind } = flight;
  const sticks = isPiloted(mode);
  // A motor test spins the motors, and the heartbeat reports them as armed.
  const armed = (flight.armed || flight.motorTestUntil !== undefined ? BaseMode.armed : 0) | BaseMode.custom;
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

/** Four or three equal cells. */
export function batteryStatus({ flight }: TelemetryView): MavLinkData {
  const { volts, cells, amperes, used } = flight.battery;
  const cell = Math.round((volts / cells) * 1000);
  return build(common.BatteryStatus, {
    voltages: Array.from({ length: 10 }, (_, index) => (index < cells ? cell : 0xffff)),
    voltagesExt: [0, 0, 0, 0],
    currentBattery: Math.round(amperes * 100),
    currentConsumed: Math.round(used),
    batteryRemaining: Math.round(remaining(flight.battery) * 100),
  });
}

export function systemStatus({ flight, ready }: TelemetryView): MavLinkData {
  const present = Object.values(SENSOR).reduce((bits, bit) => bits | bit, 0) >>> 0;
  let enabled = present;
  if (!flight.armed) enabled &= ~(SENSOR.motors | SENSOR.logging);
  if (!flight.fenceEnabled) enabled &= ~SENSOR.fence;
  let healthy = present;
  if (!flight.hasPosition) healthy &= ~(SENSOR.gps | SENSOR.ahrs);
  if (!ready) healthy &= ~SENSOR.prearm;
  const { battery } = flight;
  return build(common.SysStatus, {
    onboardControlSensorsPresent: present,
    onboardControlSensorsEnabled: enabled >>> 0,
    onboardControlSensorsHealth: healthy >>> 0,
    load: flight.armed ? 310 : 240,
    voltageBattery: Math.round(battery.volts * 1000),
    currentBattery: Math.round(battery.amperes * 100),
    batteryRemaining: Math.round(remaining(battery) * 100),
  });
}

/** IN_AIR and its siblings; a rover is always on the ground. */
export function extendedState({ flight }: TelemetryView): MavLinkData {
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

export function missionCurrent({ flight }: TelemetryView): MavLinkData {
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
