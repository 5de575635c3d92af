import { DomainError } from "../../domain/errors";
import { modesOf, PX4_ALIASES, type Vehicle } from "./mode-tables";

const plain = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "");

export interface Mode {
  readonly name: string;
  /** HEARTBEAT.custom_mode. */
  readonly customMode: number;
}

/**
 * A mode by the autopilot's name for it (case and separators do not matter) or by its custom_mode number.
 * `not_supported` names the modes there are, or the one that no order enters.
 */
export function resolveMode(vehicle: Vehicle, mode: string | number): Mode {
  const asNumber = typeof mode === "number" ? mode : /^\d+$/.test(mode.trim()) ? Number(mode) : undefined;
  const { name, customMode } =
    asNumber === undefined ? byName(vehicle, String(mode)) : byNumber(vehicle, asNumber);
  if (name in modesOf(vehicle).shown) {
    throw new DomainError(
      "not_supported",
      `No order enters the mode ${name}: this vehicle enters it by itself, or not at all.`,
    );
  }
  return { name, customMode };
}

function byNumber(vehicle: Vehicle, customMode: number): Mode {
  if (!Number.isInteger(customMode) || customMode < 0 || customMode > 0xffffffff) {
    throw new DomainError("invalid_input", `${customMode} is not a custom_mode number.`);
  }
  return { name: modeName(vehicle, customMode), customMode };
}

function byName(vehicle: Vehicle, mode: string): Mode {
  const { entered, shown } = modesOf(vehicle);
  const wanted = plain(mode);
  const alias = vehicle.autopilot === "px4" ? PX4_ALIASES[wanted] : undefined;
  const found = Object.entries({ ...entered, ...shown }).find(
    ([name]) => plain(name) === plain(alias ?? wanted),
  );
  if (!found) {
    throw new DomainError(
      "not_supported",
      `This vehicle has no mode "${mode}". It has ${Object.keys(entered).join(", ")}.`,
    );
  }
  return { name: found[0], customMode: found[1] };
}

/** The name of a custom_mode as telemetry shows it; an unnamed one as `MODE(n)`. */
export function modeName(vehicle: Vehicle, customMode: number): string {
  const { entered, shown } = modesOf(vehicle);
  const found = Object.entries({ ...entered, ...shown }).find(([, number]) => number === customMode);
  return found ? found[0] : `MODE(${customMode})`;
}

/** Flying the uploaded plan, so that a changed plan changes the flight. */
export function fliesMission(vehicle: Vehicle, customMode: number): boolean {
  const name = modeName(vehicle, customMode);
  return name === "AUTO" || name === "AUTO_RTL" || name === "AUTO.MISSION";
}

/** Whether arming alone sets the vehicle off. */
export function startsWhenArmed(vehicle: Vehicle, customMode: number): boolean {
  return fliesMission(vehicle, customMode) || /^AUTO\.(VTOL_)?TAKEOFF$/.test(modeName(vehicle, customMode));
}

/** MAV_CMD_DO_SET_MODE's first three parameters: base mode flag, then main and sub mode. */
export function setModeParams({ autopilot }: Vehicle, customMode: number): [number, number, number] {
  const CUSTOM_MODE_ENABLED = 1;
  return autopilot === "px4"
    ? [CUSTOM_MODE_ENABLED, (customMode >>> 16) & 0xff, customMode >>> 24]
    : [CUSTOM_MODE_ENABLED, customMode, 0];
}

/** Modes in which the sticks fly the vehicle. In all others their end is no emergency. */
const FLOWN_BY_STICKS: ReadonlySet<string> = new Set([
  ...["STABILIZE", "ACRO", "ALT_HOLD", "LOITER", "DRIFT", "SPORT", "POSHOLD", "FLOWHOLD", "ZIGZAG"],
  ...["SYSTEMID", "AUTOTUNE", "MANUAL", "STEERING", "SIMPLE", "DOCK"],
  ...["ALTCTL", "POSCTL", "POSCTL.SLOW", "POSCTL.ORBIT", "STABILIZED"],
]);

/** In LOITER a rover holds its position, whatever the sticks do. */
export const fliesBySticks = ({ autopilot, kind }: Vehicle, mode: string): boolean =>
  FLOWN_BY_STICKS.has(mode) && !(autopilot === "ardupilot" && kind === "rover" && mode === "LOITER");

/**
 * Modes in which the vehicle stops without a pilot, in the order of preference. Not LOITER for a copter: when the
 * overrides lapse, the throttle is the radio's again, and a radio that is off may mean full descent.
 */
export function stoppingModes({ autopilot, kind }: Vehicle): readonly [string, ...string[]] {
  if (autopilot === "px4") return ["AUTO.LOITER", "AUTO.LAND"];
  return kind === "rover" ? ["HOLD"] : ["BRAKE", "LAND"];
}

/** The modes that an order enters, by the autopilot's own names. `sticks`: whether the pilot's sticks fly it. */
export const orderedModes = (vehicle: Vehicle): { readonly name: string; readonly sticks: boolean }[] =>
  Object.keys(modesOf(vehicle).entered).map((name) => ({ name, sticks: fliesBySticks(vehicle, name) }));
