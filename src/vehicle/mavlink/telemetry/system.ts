import type { SystemStatus, TelemetryMessage } from "../../link";
import type { common } from "../wire/messages";

/** MAV_SYS_STATUS_SENSOR bits, by the names under which watchers see them. */
export const SENSORS: Readonly<Record<string, number>> = {
  gyro: 0x1,
  accelerometer: 0x2,
  magnetometer: 0x4,
  absolute_pressure: 0x8,
  differential_pressure: 0x10,
  gps: 0x20,
  optical_flow: 0x40,
  vision_position: 0x80,
  laser_position: 0x100,
  angular_rate_control: 0x400,
  attitude_stabilization: 0x800,
  yaw_position: 0x1000,
  altitude_control: 0x2000,
  position_control: 0x4000,
  motor_outputs: 0x8000,
  rc_receiver: 0x10000,
  gyro_2: 0x20000,
  accelerometer_2: 0x40000,
  magnetometer_2: 0x80000,
  geofence: 0x100000,
  ahrs: 0x200000,
  terrain: 0x400000,
  reverse_motor: 0x800000,
  logging: 0x1000000,
  battery: 0x2000000,
  proximity: 0x4000000,
  satcom: 0x8000000,
  prearm_check: 0x10000000,
  obstacle_avoidance: 0x20000000,
  propulsion: 0x40000000,
};

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
