import { ardupilotCommon } from "./ardupilot-common";
import { defineEach, defineParams, type ParamDefinition } from "./store";

/** ArduPilot Copter 4.7: metres and metres per second where older releases have centimetres. */
export const ardupilotCopter: readonly ParamDefinition[] = [
  ...ardupilotCommon,
  ...defineParams(`
    ACRO_BAL_PITCH f 1; ACRO_BAL_ROLL f 1; ACRO_OPTIONS b 0; ACRO_RP_EXPO f 0.3; ACRO_RP_RATE f 360
    ACRO_THR_MID f 0; ACRO_TRAINER b 2; ACRO_Y_EXPO f 0; ACRO_Y_RATE f 202.5
    ATC_ACC_P_MAX f 1100; ATC_ACC_R_MAX f 1100; ATC_ACC_Y_MAX f 270; ATC_ANG_PIT_P f 4.5; ATC_ANG_RLL_P f 4.5
    ATC_ANG_YAW_P f 4.5; ATC_ANGLE_BOOST b 1; ATC_ANGLE_MAX f 30; ATC_INPUT_TC f 0.15; ATC_RATE_FF_ENAB b 1
    ATC_RATE_P_MAX f 0; ATC_RATE_R_MAX f 0; ATC_RATE_Y_MAX f 0; ATC_SLEW_YAW f 60; ATC_THR_MIX_MAX f 0.5
    ATC_RAT_PIT_D f 0.0036; ATC_RAT_PIT_I f 0.135; ATC_RAT_PIT_P f 0.135; ATC_RAT_RLL_D f 0.0036
    ATC_RAT_RLL_I f 0.135; ATC_RAT_RLL_P f 0.135; ATC_RAT_YAW_D f 0; ATC_RAT_YAW_I f 0.018; ATC_RAT_YAW_P f 0.18
    AUTO_OPTIONS i 0; AUTOTUNE_AGGR f 0.1; AUTOTUNE_AXES b 7; CIRCLE_OPTIONS h 1; CIRCLE_RADIUS_M f 10
    CIRCLE_RATE f 20; DEV_OPTIONS i 0; DISARM_DELAY b 10; ESC_CALIBRATION b 0
    FENCE_ACTION b 1; FENCE_ALT_MAX f 100; FENCE_ALT_MIN f -10; FENCE_AUTOENABLE b 0; FENCE_TYPE b 7
    FHLD_BRAKE_RATE h 8; FLTMODE_CH b 5; FRAME_CLASS b 1; FRAME_TYPE b 0; FS_DR_ENABLE b 2; FS_DR_TIMEOUT h 30
    FS_THR_ENABLE b 1; FS_THR_VALUE h 975; FS_VIBE_ENABLE b 1
    GND_EFFECT_COMP b 1; GUID_OPTIONS i 0; GUID_TIMEOUT f 3; INITIAL_MODE b 0
    LAND_ALT_LOW_M f 10; LAND_REPOSITION b 1; LAND_SPD_HIGH_MS f 0; LAND_SPD_MS f 0.5
    LGR_ENABLE b 0; LOIT_ACC_MAX_M f 5; LOIT_ANG_MAX f 0; LOIT_BRK_ACC_M f 2.5; LOIT_BRK_DELAY f 1
    LOIT_BRK_JRK_M f 5; LOIT_OPTIONS h 0; LOIT_SPEED_MS f 12.5
    MOT_BAT_VOLT_MAX f 12.8; MOT_BAT_VOLT_MIN f 9.6; MOT_HOVER_LEARN b 2; MOT_PWM_MAX h 2000; MOT_PWM_MIN h 1000
    MOT_PWM_TYPE b 0; MOT_SAFE_DISARM b 0; MOT_SPIN_ARM f 0.1; MOT_SPIN_MAX f 0.95; MOT_SPIN_MIN f 0.15
    MOT_SPOOL_TIME f 0.5; MOT_THST_EXPO f 0.65; MOT_THST_HOVER f 0.39; MOT_YAW_HEADROOM h 200
    PHLD_BRAKE_ANGLE f 30; PHLD_BRAKE_RATE h 8; PILOT_ACC_Z f 2.5; PILOT_SPD_DN f 0; PILOT_SPD_UP f 2.5
    PILOT_THR_BHV h 0; PILOT_THR_FILT f 0; PILOT_TKO_ALT_M f 0; PILOT_Y_EXPO f 0; PILOT_Y_RATE f 202.5
    PLND_ENABLED b 0; PSC_D_POS_P f 1; PSC_D_VEL_P f 5; PSC_NE_POS_P f 1; PSC_NE_VEL_D f 0.5; PSC_NE_VEL_I f 1
    PSC_NE_VEL_P f 2; PSC_JERK_D f 5; PSC_JERK_NE f 5
    RC_FEEL_RP h 50; RNGFND_FILT f 0.5; RTL_ALT_FINAL_M f 0; RTL_ALT_M f 15; RTL_ALT_TYPE b 0; RTL_CLIMB_MIN_M f 0
    RTL_CONE_SLOPE f 3; RTL_LOIT_TIME i 5000; RTL_OPTIONS i 0; RTL_SPEED_MS f 0
    SERVO1_FUNCTION h 33; SERVO2_FUNCTION h 34; SERVO3_FUNCTION h 35; SERVO4_FUNCTION h 36
    SIMPLE b 0; SPRAY_ENABLE b 0; SRTL_ACCURACY f 2; SRTL_OPTIONS i 0; SRTL_POINTS h 300; SUPER_SIMPLE b 0
    SURFTRAK_MODE b 1; TCAL_ENABLED b 0; THR_DZ h 100; THROW_MOT_START b 0; THROW_NEXTMODE b 18; TKOFF_RPM_MIN h 0
    TKOFF_SLEW_TIME f 2; TKOFF_THR_MAX f 0.9; TUNE h 0; TUNE_MAX f 0; TUNE_MIN f 0; WINCH_TYPE b 0
    WP_ACC f 2.5; WP_ACC_CNR f 0; WP_ACC_Z f 1; WP_JERK f 1; WP_NAVALT_MIN f 0; WP_RADIUS_M f 2; WP_RFND_USE b 1
    WP_SPD f 10; WP_SPD_DN f 1.5; WP_SPD_UP f 2.5; WP_TER_MARGIN f 10; WP_YAW_BEHAVIOR b 2; WVANE_ENABLE b 0
  `),
  ...defineEach(1, 6, "FLTMODE# b 0"),
];

/** Name in 4.7 → name before it, and what one unit of the new is in the old. */
const BEFORE_4_7: Readonly<Record<string, readonly [string, number]>> = {
  ATC_ANGLE_MAX: ["ANGLE_MAX", 100],
  ARMING_SKIPCHK: ["ARMING_CHECK", 1],
  CIRCLE_RADIUS_M: ["CIRCLE_RADIUS", 100],
  LAND_ALT_LOW_M: ["LAND_ALT_LOW", 100],
  LAND_SPD_HIGH_MS: ["LAND_SPEED_HIGH", 100],
  LAND_SPD_MS: ["LAND_SPEED", 100],
  LOIT_ACC_MAX_M: ["LOIT_ACC_MAX", 100],
  LOIT_BRK_ACC_M: ["LOIT_BRK_ACCEL", 100],
  LOIT_BRK_JRK_M: ["LOIT_BRK_JERK", 100],
  LOIT_SPEED_MS: ["LOIT_SPEED", 100],
  MAV_GCS_SYSID: ["SYSID_MYGCS", 1],
  MAV_SYSID: ["SYSID_THISMAV", 1],
  PILOT_ACC_Z: ["PILOT_ACCEL_Z", 100],
  PILOT_SPD_DN: ["PILOT_SPEED_DN", 100],
  PILOT_SPD_UP: ["PILOT_SPEED_UP", 100],
  PILOT_TKO_ALT_M: ["PILOT_TKOFF_ALT", 100],
  RTL_ALT_FINAL_M: ["RTL_ALT_FINAL", 100],
  RTL_ALT_M: ["RTL_ALT", 100],
  RTL_CLIMB_MIN_M: ["RTL_CLIMB_MIN", 100],
  RTL_SPEED_MS: ["RTL_SPEED", 100],
  WP_ACC: ["WPNAV_ACCEL", 100],
  WP_ACC_CNR: ["WPNAV_ACCEL_C", 100],
  WP_ACC_Z: ["WPNAV_ACCEL_Z", 100],
  WP_JERK: ["WPNAV_JERK", 1],
  WP_RADIUS_M: ["WPNAV_RADIUS", 100],
  WP_RFND_USE: ["WPNAV_RFND_USE", 1],
  WP_SPD: ["WPNAV_SPEED", 100],
  WP_SPD_DN: ["WPNAV_SPEED_DN", 100],
  WP_SPD_UP: ["WPNAV_SPEED_UP", 100],
  WP_TER_MARGIN: ["WPNAV_TER_MARGIN", 1],
};

/** A 4.7 parameter set as ArduPilot 4.6 names and scales it. */
export function asBefore47(definitions: readonly ParamDefinition[]): ParamDefinition[] {
  return definitions
    .filter(({ name }) => name !== "MAV_GCS_SYSID_HI")
    .map((definition) => {
      const [name, scale] = BEFORE_4_7[definition.name] ?? [streamName(definition.name), 1];
      // ARMING_CHECK selects checks where ARMING_SKIPCHK skips them: 1 is all of them.
      const value = name === "ARMING_CHECK" ? 1 : definition.value * scale;
      return { ...definition, name, value };
    });
}

/** MAV1_POSITION of 4.7 was SR0_POSITION. */
const streamName = (name: string): string =>
  name.replace(/^MAV(\d)_/, (_, number: string) => `SR${Number(number) - 1}_`);
