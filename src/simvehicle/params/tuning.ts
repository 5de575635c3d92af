import type { Limits } from "../kinematics";
import type { ParamStore } from "./store";

/** The parameters that the flight behaviour needs, in SI units, under one name for both autopilots. */
export interface Tuning extends Limits {
  waypointRadius: number;
  /** The last metres of a landing, and above `landSlowBelow`. */
  landSpeed: number;
  landSpeedHigh: number;
  landSlowBelow: number;
  returnAltitude: number;
  returnLoiter: number;
  /** The system id of the ground station whose heartbeat the failsafe follows. */
  groundStation: number;
}

const DEGREE = Math.PI / 180;

/**
 * Read again at each use, because a parameter may change in flight. Each row names the parameter of ArduPilot's copters, of
 * PX4's copters, of ArduPilot's rovers and of PX4's; 0 where a vehicle has none.
 */
export function tuningOf(params: ParamStore): Tuning {
  const of = (...names: readonly string[]): number => {
    const known = names.find((name) => params.find(name) !== undefined);
    return known === undefined ? 0 : params.get(known);
  };
  const speedDown = of("WP_SPD_DN", "MPC_Z_V_AUTO_DN");
  return {
    speed: of("WP_SPD", "MPC_XY_CRUISE", "WP_SPEED", "RO_SPEED_LIM") || of("CRUISE_SPEED"),
    speedUp: of("WP_SPD_UP", "MPC_Z_V_AUTO_UP"),
    speedDown,
    accel: of("WP_ACC", "MPC_ACC_HOR", "ATC_ACCEL_MAX", "RO_ACCEL_LIM"),
    accelZ: of("WP_ACC_Z", "MPC_ACC_DOWN_MAX"),
    yawRate: of("ATC_SLEW_YAW", "MPC_YAWRAUTO_MAX", "ATC_STR_RAT_MAX", "RO_YAW_RATE_LIM") * DEGREE,
    waypointRadius: of("WP_RADIUS_M", "NAV_ACC_RAD", "WP_RADIUS"),
    landSpeed: of("LAND_SPD_MS", "MPC_LAND_SPEED"),
    landSpeedHigh: of("LAND_SPD_HIGH_MS") || speedDown,
    landSlowBelow: of("LAND_ALT_LOW_M", "MPC_LAND_ALT1"),
    returnAltitude: of("RTL_ALT_M", "RTL_RETURN_ALT"),
    // Milliseconds, and seconds.
    returnLoiter: of("RTL_LOIT_TIME") / 1000 + Math.max(0, of("RTL_LAND_DELAY")),
    groundStation: params.get("MAV_GCS_SYSID", 255),
  };
}
