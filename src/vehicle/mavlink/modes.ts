import { DomainError } from "../../domain/errors";
import type { VehicleIdentity } from "../link";

type ModeTable = Readonly<Record<string, number>>;

const ARDUPILOT_COPTER: ModeTable = {
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
};

const ARDUPILOT_ROVER: ModeTable = {
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
  INITIALISING: 16,
};

/** PX4's custom_mode is a union: the main mode in the third byte, the sub mode in the fourth. */
const px4 = (main: number, sub = 0): number => ((sub << 24) | (main << 16)) >>> 0;

const PX4: ModeTable = {
  MANUAL: px4(1),
  ALTCTL: px4(2),
  POSCTL: px4(3),
  "POSCTL.ORBIT": px4(3, 1),
  "POSCTL.SLOW": px4(3, 2),
  "AUTO.READY": px4(4, 1),
  "AUTO.TAKEOFF": px4(4, 2),
  "AUTO.LOITER": px4(4, 3),
  "AUTO.MISSION": px4(4, 4),
  "AUTO.RTL": px4(4, 5),
  "AUTO.LAND": px4(4, 6),
  "AUTO.FOLLOW_TARGET": px4(4, 8),
  "AUTO.PRECLAND": px4(4, 9),
  ACRO: px4(5),
  OFFBOARD: px4(6),
  STABILIZED: px4(7),
  SIMPLE: px4(9),
  TERMINATION: px4(10),
};

/** What pilots of other stations call PX4's modes, so that one button works on both autopilots. */
const PX4_ALIASES: Readonly<Record<string, string>> = {
  AUTO: "AUTO.MISSION",
  MISSION: "AUTO.MISSION",
  HOLD: "AUTO.LOITER",
  LOITER: "AUTO.LOITER",
  RTL: "AUTO.RTL",
  RETURN: "AUTO.RTL",
  LAND: "AUTO.LAND",
  TAKEOFF: "AUTO.TAKEOFF",
  POSITION: "POSCTL",
  ALTITUDE: "ALTCTL",
  ORBIT: "POSCTL.ORBIT",
};

type Craft = Pick<VehicleIdentity, "autopilot" | "kind">;

function tableOf({ autopilot, kind }: Craft): ModeTable {
  if (autopilot === "px4") return PX4;
  return kind === "rover" ? ARDUPILOT_ROVER : ARDUPILOT_COPTER;
}

const plain = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "");

export interface Mode {
  readonly name: string;
  /** HEARTBEAT.custom_mode. */
  readonly customMode: number;
}

/**
 * A mode by the autopilot's name for it (case and separators do not matter) or by its custom_mode number.
 * `not_supported` names the modes there are.
 */
export function resolveMode(craft: Craft, mode: string | number): Mode {
  const table = tableOf(craft);
  const asNumber = typeof mode === "number" ? mode : /^\d+$/.test(mode.trim()) ? Number(mode) : undefined;
  if (asNumber !== undefined) {
    if (!Number.isInteger(asNumber) || asNumber < 0 || asNumber > 0xffffffff) {
      throw new DomainError("invalid_input", `${mode} is not a custom_mode number.`);
    }
    return { name: modeName(craft, asNumber), customMode: asNumber };
  }
  const wanted = plain(String(mode));
  const alias = craft.autopilot === "px4" ? PX4_ALIASES[wanted] : undefined;
  const name = alias ?? Object.keys(table).find((candidate) => plain(candidate) === wanted);
  const customMode = name === undefined ? undefined : table[name];
  if (name === undefined || customMode === undefined) {
    throw new DomainError(
      "not_supported",
      `This vehicle has no mode "${mode}". It has ${Object.keys(table).join(", ")}.`,
    );
  }
  return { name, customMode };
}

/** The name of a custom_mode as telemetry shows it; an unnamed one as `MODE(n)`. */
export function modeName(craft: Craft, customMode: number): string {
  const found = Object.entries(tableOf(craft)).find(([, number]) => number === customMode);
  return found ? found[0] : `MODE(${customMode})`;
}

/** Flying the uploaded plan, so that a changed plan changes the flight. */
export function fliesMission(craft: Craft, customMode: number): boolean {
  const name = modeName(craft, customMode);
  return name === "AUTO" || name === "AUTO_RTL" || name === "AUTO.MISSION";
}

/** MAV_CMD_DO_SET_MODE's first three parameters: base mode flag, then main and sub mode. */
export function setModeParams({ autopilot }: Craft, customMode: number): [number, number, number] {
  const CUSTOM_MODE_ENABLED = 1;
  return autopilot === "px4"
    ? [CUSTOM_MODE_ENABLED, (customMode >>> 16) & 0xff, customMode >>> 24]
    : [CUSTOM_MODE_ENABLED, customMode, 0];
}
