import type { Limits } from "../kinematics";
import type { ParamStore } from "./store";

/** What the flight behaviour needs of the parameters, in SI units, whatever the autopilot calls it. */
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

/** Read again at each use, because a parameter may change in flight. */
export function tuningOf(params: ParamStore): Tuning {
  if (params.find("WP_SPD")) return ardupilotCopter(params);
  return params.find("MPC_XY_CRUISE") ? px4Copter(params) : ardupilotRover(params);
}

function ardupilotCopter(params: ParamStore): Tuning {
  return {
    speed: params.get("WP_SPD"),
    speedUp: params.get("WP_SPD_UP"),
    speedDown: params.get("WP_SPD_DN"),
    accel: params.get("WP_ACC"),
    accelZ: params.get("WP_ACC_Z"),
    yawRate: params.get("ATC_SLEW_YAW") * DEGREE,
    waypointRadius: params.get("WP_RADIUS_M"),
    landSpeed: params.get("LAND_SPD_MS"),
    landSpeedHigh: params.get("LAND_SPD_HIGH_MS") || params.get("WP_SPD_DN"),
    landSlowBelow: params.get("LAND_ALT_LOW_M"),
    returnAltitude: params.get("RTL_ALT_M"),
    returnLoiter: params.get("RTL_LOIT_TIME") / 1000,
    groundStation: params.get("MAV_GCS_SYSID"),
  };
}

function px4Copter(params: ParamStore): Tuning {
  return {
    speed: params.get("MPC_XY_CRUISE"),
    speedUp: params.get("MPC_Z_V_AUTO_UP"),
    speedDown: params.get("MPC_Z_V_AUTO_DN"),
    accel: params.get("MPC_ACC_HOR"),
    accelZ: params.get("MPC_ACC_DOWN_MAX"),
    yawRate: params.get("MPC_YAWRAUTO_MAX") * DEGREE,
    waypointRadius: params.get("NAV_ACC_RAD"),
    landSpeed: params.get("MPC_LAND_SPEED"),
    landSpeedHigh: params.get("MPC_Z_V_AUTO_DN"),
    landSlowBelow: params.get("MPC_LAND_ALT1"),
    returnAltitude: params.get("RTL_RETURN_ALT"),
    returnLoiter: Math.max(0, params.get("RTL_LAND_DELAY")),
    groundStation: 255,
  };
}

function ardupilotRover(params: ParamStore): Tuning {
  return {
    speedUp: 0,
    speedDown: 0,
    accelZ: 0,
    landSpeed: 0,
    landSpeedHigh: 0,
    landSlowBelow: 0,
    returnAltitude: 0,
    returnLoiter: 0,
    speed: params.get("WP_SPEED") || params.get("CRUISE_SPEED"),
    accel: params.get("ATC_ACCEL_MAX"),
    yawRate: params.get("ATC_STR_RAT_MAX") * DEGREE,
    waypointRadius: params.get("WP_RADIUS"),
    groundStation: params.get("MAV_GCS_SYSID"),
  };
}
