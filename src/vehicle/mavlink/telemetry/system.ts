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

/** SYS_STATUS with the heartbeat's armed flag and mode: mV, cA (-1 not measured), percent (-1 unknown), load in ‰. */
export function toSystem(status: common.SysStatus, armed: boolean, mode: string): TelemetryMessage {
  const data: SystemStatus = {
    battery: {
      voltage: batteryVoltage(status.voltageBattery),
      current: status.currentBattery < 0 ? null : status.currentBattery / 100,
      remaining: status.batteryRemaining < 0 ? null : status.batteryRemaining,
    },
    cpu_load: status.load / 10,
    sensors: sensorHealth(status),
    armed,
    mode,
  };
  return { type: "system", data };
}
