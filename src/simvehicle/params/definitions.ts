import { defineEach, defineParams, type ParamDefinition } from "./store";

/** Those that ArduPilot's copters and rovers share, by ArduPilot 4.7's names and defaults. */
const ardupilotCommon: readonly ParamDefinition[] = [
  ...defineParams(`
    BATT_CAPACITY i 3300; BATT_CRT_VOLT f 0; BATT_FS_CRT_ACT b 0; BATT_FS_LOW_ACT b 0; BATT_LOW_VOLT f 10.5
    FENCE_ACTION b 1; FENCE_AUTOENABLE b 0; FENCE_ENABLE b 0; FENCE_RADIUS f 300; FENCE_TOTAL b 0
    FS_GCS_ENABLE b 0; FS_GCS_TIMEOUT f 5; FS_OPTIONS h 16
    LOG_DISARMED b 0; LOG_FILE_DSRMROT b 0; MAV_GCS_SYSID h 255; MAV_SYSID h 1; MIS_RESTART b 0; MIS_TOTAL h 0; RC_OVERRIDE_TIME f 3
  `),
  ...defineEach(
    1,
    16,
    "RC#_DZ h 0; RC#_MAX h 2000; RC#_MIN h 1000; RC#_OPTION h 0; RC#_REVERSED b 0; RC#_TRIM h 1500",
  ),
  ...defineEach(1, 16, "SERVO#_MAX h 1900; SERVO#_MIN h 1100; SERVO#_REVERSED b 0; SERVO#_TRIM h 1500"),
  ...defineEach(5, 16, "SERVO#_FUNCTION h 0"),
];

const ardupilotCopter: readonly ParamDefinition[] = [
  ...ardupilotCommon,
  ...defineParams(`
    ATC_SLEW_YAW f 60; FRAME_CLASS b 1; CIRCLE_RADIUS_M f 10; CIRCLE_RATE f 20; DISARM_DELAY b 10; FENCE_ALT_MAX f 100; FENCE_TYPE b 7
    LAND_ALT_LOW_M f 10; LAND_SPD_HIGH_MS f 0; LAND_SPD_MS f 0.5; LOIT_SPEED_MS f 12.5; MOT_SPOOL_TIME f 0.5
    PILOT_SPD_DN f 0; PILOT_SPD_UP f 2.5; PILOT_Y_RATE f 202.5
    RTL_ALT_M f 15; RTL_CONE_SLOPE f 3; RTL_LOIT_TIME i 5000
    SERVO1_FUNCTION h 33; SERVO2_FUNCTION h 34; SERVO3_FUNCTION h 35; SERVO4_FUNCTION h 36
    WP_ACC f 2.5; WP_ACC_Z f 1; WP_RADIUS_M f 2; WP_SPD f 10; WP_SPD_DN f 1.5; WP_SPD_UP f 2.5
  `),
];

/** A skid-steered one. */
const ardupilotRover: readonly ParamDefinition[] = [
  ...ardupilotCommon,
  ...defineParams(`
    ATC_ACCEL_MAX f 1; ATC_STR_RAT_MAX f 120; CRUISE_SPEED f 2; CRUISE_THROTTLE b 30; FENCE_TYPE b 6
    SERVO1_FUNCTION h 73; SERVO2_FUNCTION h 0; SERVO3_FUNCTION h 74; SERVO4_FUNCTION h 0; WP_RADIUS f 2; WP_SPEED f 2
  `),
];

/** Those that PX4's copters and rovers share. PX4 1.15 has two types only: INT32 and FLOAT. */
const px4Common: readonly ParamDefinition[] = [
  ...defineParams(`
    BAT1_CAPACITY f 5000; BAT_CRIT_THR f 0.07; BAT_LOW_THR f 0.15
    COM_ARMABLE i 1; COM_DISARM_LAND f 2; COM_DISARM_PRFLT f 10; COM_DL_LOSS_T i 10; COM_FAIL_ACT_T f 5; COM_FLTMODE1 i -1
    COM_LOW_BAT_ACT i 0; COM_RC_LOSS_T f 0.5; COM_SPOOLUP_TIME f 1; GF_ACTION i 2; GF_MAX_HOR_DIST f 0; GF_MAX_VER_DIST f 0
    MAV_SYS_ID i 1; NAV_DLL_ACT i 0; NAV_RCL_ACT i 2; RTL_LAND_DELAY f 0; RTL_MIN_DIST f 10; RTL_RETURN_ALT f 60
  `),
  ...defineEach(1, 18, "RC#_DZ f 10; RC#_MAX f 2000; RC#_MIN f 1000; RC#_REV f 1; RC#_TRIM f 1500"),
];

const px4Copter: readonly ParamDefinition[] = [
  ...px4Common,
  ...defineParams(`
    CA_ROTOR_COUNT i 4; MIS_TAKEOFF_ALT f 2.5; MPC_ACC_DOWN_MAX f 3; MPC_ACC_HOR f 3; MPC_LAND_ALT1 f 10
    MPC_LAND_SPEED f 0.7; MPC_VEL_MANUAL f 10; MPC_XY_CRUISE f 5; MPC_YAWRAUTO_MAX f 60; MPC_Z_V_AUTO_DN f 1.5
    MPC_Z_V_AUTO_UP f 3; NAV_ACC_RAD f 2
  `),
];

/** An Ackermann one. */
const px4Rover: readonly ParamDefinition[] = [
  ...px4Common,
  ...defineParams(`
    CA_AIRFRAME i 5; CA_R_REV i 1; NAV_ACC_RAD f 0.5; RA_MAX_STR_ANG f 0.5236; RA_WHEEL_BASE f 0.321
    RO_ACCEL_LIM f 3; RO_MAX_THR_SPEED f 3.2; RO_SPEED_LIM f 3; RO_YAW_RATE_LIM f 180
  `),
];

const TABLES = {
  ardupilot: { copter: ardupilotCopter, rover: ardupilotRover },
  px4: { copter: px4Copter, rover: px4Rover },
} as const;
const SYSTEM_ID = new Set(["MAV_SYSID", "MAV_SYS_ID"]);

/** The parameters by which a vehicle acts, and those of its channels, so that the list is a long one. */
export function definitionsFor(vehicle: {
  readonly kind: "copter" | "rover";
  readonly autopilot: "ardupilot" | "px4";
  readonly systemId: number;
}): ParamDefinition[] {
  const { kind, autopilot, systemId } = vehicle;
  return TABLES[autopilot][kind].map((definition) =>
    SYSTEM_ID.has(definition.name) ? { ...definition, value: systemId } : definition,
  );
}
