import { SENSORS, type SystemStatus, type TelemetryMessage } from "../../telemetry-messages";
import type { common } from "../wire/messages";

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

/**
 * SYS_STATUS with the heartbeat's armed flag and mode: mV, cA (-1 not measured), percent (-1 unknown), load in ‰; and
 * BATTERY_STATUS once it has come: mAh (-1 not measured), seconds (0 unknown).
 */
export function toSystem(
  status: common.SysStatus,
  armed: boolean,
  mode: string,
  battery?: common.BatteryStatus,
): TelemetryMessage {
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
    armed,
    mode,
  };
  return { type: "system", data };
}
