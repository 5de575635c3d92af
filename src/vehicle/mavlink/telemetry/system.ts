import {
  type DiagnosticRow,
  SENSORS,
  type SystemStatus,
  type TelemetryMessage,
} from "../../telemetry-messages";
import type { ardupilotmega, common } from "../wire/messages";

type Wind = NonNullable<SystemStatus["wind"]>;

/** Sensor name → healthy, for those that are present and enabled. */
export function sensorHealth(status: common.SysStatus): Record<string, boolean> {
  const active = status.onboardControlSensorsPresent & status.onboardControlSensorsEnabled;
  return Object.fromEntries(
    Object.entries(SENSORS)
      .filter(([, bit]) => (active & bit) !== 0)
      .map(([name, bit]) => [name, (status.onboardControlSensorsHealth & bit) !== 0]),
  );
}

/** Volts from mV, where 65535 is unknown. */
export const batteryVoltage = (millivolts: number): number => (millivolts === 0xffff ? 0 : millivolts / 1000);

/** Percent; null when the vehicle does not estimate it. */
export const percentLeft = ({ batteryRemaining }: common.SysStatus): number | null =>
  batteryRemaining < 0 ? null : batteryRemaining;

/** BATTERY_STATUS.voltages of a cell that is not there, and of one of the further four. */
const NO_CELL = 0xffff;
const NO_FURTHER_CELL = 0;

/** Volts of each cell. A battery whose cells are not measured has its whole voltage in the place of the first. */
function cellVoltages({ voltages, voltagesExt }: common.BatteryStatus): number[] {
  const first = voltages.filter((millivolts) => millivolts !== NO_CELL);
  const further = voltagesExt.filter((millivolts) => millivolts !== NO_FURTHER_CELL);
  const cells = [...first, ...further];
  return cells.length > 1 ? cells.map((millivolts) => millivolts / 1000) : [];
}

/** WIND of ArduPilot: degrees that it comes from, -180 to 360. */
export const toWind = ({ speed, direction }: ardupilotmega.Wind): Wind => ({
  speed: Math.max(0, speed),
  from: compass(direction),
});

/** WIND_COV of PX4: metres per second that it blows to, north and east. */
export const toWindCov = ({ windX, windY }: common.WindCov): Wind => ({
  speed: Math.hypot(windX, windY),
  from: compass((Math.atan2(-windY, -windX) * 180) / Math.PI),
});

const compass = (degrees: number): number => ((degrees % 360) + 360) % 360;

/** What `system` is made of; a message that has not come yet is absent. */
export interface SystemParts {
  readonly status: common.SysStatus;
  readonly armed: boolean;
  readonly mode: string;
  readonly link: SystemStatus["link"];
  readonly battery?: common.BatteryStatus | undefined;
  readonly wind?: Wind | undefined;
  readonly estimator?: DiagnosticRow | undefined;
}

/**
 * SYS_STATUS: mV, cA (-1 not measured), percent (-1 unknown), load in ‰. BATTERY_STATUS: mAh (-1 not measured), seconds
 * (0 unknown).
 */
export function toSystem({ status, battery, estimator, ...parts }: SystemParts): TelemetryMessage {
  const { currentConsumed = -1, timeRemaining = 0 } = battery ?? {};
  const data: SystemStatus = {
    battery: {
      voltage: batteryVoltage(status.voltageBattery),
      current: status.currentBattery < 0 ? null : status.currentBattery / 100,
      remaining: percentLeft(status),
      consumed: currentConsumed < 0 ? null : currentConsumed,
      time_remaining: timeRemaining <= 0 ? null : timeRemaining,
      cells: battery ? cellVoltages(battery) : [],
    },
    cpu_load: status.load / 10,
    sensors: sensorHealth(status),
    armed: parts.armed,
    mode: parts.mode,
    link: parts.link,
    wind: parts.wind ?? null,
    estimator: estimator ? { level: estimator.level, message: estimator.message } : null,
  };
  return { type: "system", data };
}
