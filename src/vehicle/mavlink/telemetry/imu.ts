import type { Imu, TelemetryMessage } from "../../telemetry-messages";

interface Quaternion {
  readonly w: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const multiply = (a: Quaternion, b: Quaternion): Quaternion => ({
  w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
  y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
  z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
});

/** Turns the world from north-east-down to east-north-up. */
const NED_TO_ENU: Quaternion = { w: 0, x: Math.SQRT1_2, y: Math.SQRT1_2, z: 0 };
/** Turns the body from forward-right-down to forward-left-up. */
const FRD_TO_FLU: Quaternion = { w: 0, x: 1, y: 0, z: 0 };

/** Attitude as MAVLink has it (FRD body in a NED world) as ROS has it (FLU body in an ENU world), w ≥ 0. */
export function toRosOrientation(attitude: Quaternion): Quaternion {
  const { w, x, y, z } = multiply(multiply(NED_TO_ENU, attitude), FRD_TO_FLU);
  const sign = w < 0 ? -1 : 1;
  return { w: w * sign, x: x * sign, y: y * sign, z: z * sign };
}

/** Roll, pitch and yaw in radians, as in ATTITUDE. */
export function fromEuler(roll: number, pitch: number, yaw: number): Quaternion {
  const [sr, cr] = [Math.sin(roll / 2), Math.cos(roll / 2)];
  const [sp, cp] = [Math.sin(pitch / 2), Math.cos(pitch / 2)];
  const [sy, cy] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  return {
    w: cr * cp * cy + sr * sp * sy,
    x: sr * cp * cy - cr * sp * sy,
    y: cr * sp * cy + sr * cp * sy,
    z: cr * cp * sy - sr * sp * cy,
  };
}

/** A body vector from forward-right-down to forward-left-up. Without the negative zeros that JSON would show. */
const toFlu = ({ x, y, z }: Vector): Vector => ({ x, y: 0 - y, z: 0 - z });

const MILLI_G = 9.80665 / 1000;

/** ArduPilot's RAW_IMU counts milli-g, FRD, with its calibration applied. */
export const fromMilliG = ({ xacc, yacc, zacc }: { xacc: number; yacc: number; zacc: number }): Vector => ({
  x: xacc * MILLI_G,
  y: yacc * MILLI_G,
  z: zacc * MILLI_G,
});

/** Attitude in NED/FRD, rates in rad/s FRD, acceleration in m/s² FRD. */
export function toImu(attitude: Quaternion, rates: Vector, acceleration: Vector): TelemetryMessage {
  const data: Imu = {
    orientation: toRosOrientation(attitude),
    angular_velocity: toFlu(rates),
    linear_acceleration: toFlu(acceleration),
  };
  return { type: "imu", data };
}
