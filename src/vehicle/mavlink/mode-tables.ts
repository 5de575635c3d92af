import type { VehicleIdentity } from "../link";

/**
 * An autopilot's modes, name → HEARTBEAT.custom_mode. `entered`: those that it can be ordered into. `shown`: those that it
 * enters by itself or no longer has, and refuses or never shows when it is ordered into them.
 */
export interface ModeTable {
  readonly entered: Readonly<Record<string, number>>;
  readonly shown: Readonly<Record<string, number>>;
}

const ARDUPILOT_COPTER: ModeTable = {
  entered: {
    STABILIZE: 0,
    ACRO: 1,
    ALT_HOLD: 2,
    AUTO: 3,
    GUIDED: 4,
    LOITER: 5,
    RTL: 6,
    CIRCLE: 7,
    LAND: 9,
    DRIFT: 11,
    SPORT: 13,
    FLIP: 14,
    AUTOTUNE: 15,
    POSHOLD: 16,
    BRAKE: 17,
    THROW: 18,
    AVOID_ADSB: 19,
    GUIDED_NOGPS: 20,
    SMART_RTL: 21,
    FLOWHOLD: 22,
    FOLLOW: 23,
    ZIGZAG: 24,
    SYSTEMID: 25,
    AUTOROTATE: 26,
    AUTO_RTL: 27,
    TURTLE: 28,
    RATE_ACRO: 29,
  },
  shown: {},
};

const ARDUPILOT_ROVER: ModeTable = {
  entered: {
    MANUAL: 0,
    ACRO: 1,
    STEERING: 3,
    HOLD: 4,
    LOITER: 5,
    FOLLOW: 6,
    SIMPLE: 7,
    DOCK: 8,
    CIRCLE: 9,
    AUTO: 10,
    RTL: 11,
    SMART_RTL: 12,
    GUIDED: 15,
  },
  shown: { INITIALISING: 16 },
};

/** PX4's custom_mode is a union: the main mode in the third byte, the sub mode in the fourth. */
const px4 = (main: number, sub = 0): number => ((sub << 24) | (main << 16)) >>> 0;

const PX4: ModeTable = {
  entered: {
    MANUAL: px4(1),
    ALTCTL: px4(2),
    POSCTL: px4(3),
    "POSCTL.SLOW": px4(3, 2),
    "AUTO.TAKEOFF": px4(4, 2),
    "AUTO.LOITER": px4(4, 3),
    "AUTO.MISSION": px4(4, 4),
    "AUTO.RTL": px4(4, 5),
    "AUTO.LAND": px4(4, 6),
    "AUTO.FOLLOW_TARGET": px4(4, 8),
    "AUTO.PRECLAND": px4(4, 9),
    "AUTO.VTOL_TAKEOFF": px4(4, 10),
    EXTERNAL1: px4(4, 11),
    EXTERNAL2: px4(4, 12),
    EXTERNAL3: px4(4, 13),
    EXTERNAL4: px4(4, 14),
    EXTERNAL5: px4(4, 15),
    EXTERNAL6: px4(4, 16),
    EXTERNAL7: px4(4, 17),
    EXTERNAL8: px4(4, 18),
    "AUTO.COURSE": px4(4, 19),
    ACRO: px4(5),
    OFFBOARD: px4(6),
    STABILIZED: px4(7),
    ALTITUDE_CRUISE: px4(11),
  },
  shown: {
    "POSCTL.ORBIT": px4(3, 1),
    "AUTO.READY": px4(4, 1),
    SIMPLE: px4(9),
    TERMINATION: px4(10),
    DESCEND: px4(4, 20),
  },
};

/** What pilots of other stations call PX4's modes, so that one button works on both autopilots. */
export const PX4_ALIASES: Readonly<Record<string, string>> = {
  AUTO: "AUTO.MISSION",
  MISSION: "AUTO.MISSION",
  HOLD: "AUTO.LOITER",
  LOITER: "AUTO.LOITER",
  GUIDED: "AUTO.LOITER",
  RTL: "AUTO.RTL",
  RETURN: "AUTO.RTL",
  LAND: "AUTO.LAND",
  TAKEOFF: "AUTO.TAKEOFF",
  POSITION: "POSCTL",
  ALTITUDE: "ALTCTL",
  ORBIT: "POSCTL.ORBIT",
};

export type Vehicle = Pick<VehicleIdentity, "autopilot" | "kind">;

export function modesOf({ autopilot, kind }: Vehicle): ModeTable {
  if (autopilot === "px4") return PX4;
  return kind === "rover" ? ARDUPILOT_ROVER : ARDUPILOT_COPTER;
}
