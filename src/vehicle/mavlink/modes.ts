import { DomainError } from "../../domain/errors";
import { type Craft, modesOf, PX4_ALIASES } from "./mode-tables";

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
export function resolveMode(craft: Craft, mode: string | number): Mode {
  const asNumber = typeof mode === "number" ? mode : /^\d+$/.test(mode.trim()) ? Number(mode) : undefined;
  const { name, customMode } =
    asNumber === undefined ? byName(craft, String(mode)) : byNumber(craft, asNumber);
  if (name in modesOf(craft).shown) {
    throw new DomainError(
      "not_supported",
      `No order enters the mode ${name}: this vehicle enters it by itself, or not at all.`,
    );
  }
  return { name, customMode };
}

function byNumber(craft: Craft, customMode: number): Mode {
  if (!Number.isInteger(customMode) || customMode < 0 || customMode > 0xffffffff) {
    throw new DomainError("invalid_input", `${customMode} is not a custom_mode number.`);
  }
  return { name: modeName(craft, customMode), customMode };
}

function byName(craft: Craft, mode: string): Mode {
  const { entered, shown } = modesOf(craft);
  const wanted = plain(mode);
  const alias = craft.autopilot === "px4" ? PX4_ALIASES[wanted] : undefined;
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
export function modeName(craft: Craft, customMode: number): string {
  const { entered, shown } = modesOf(craft);
  const found = Object.entries({ ...entered, ...shown }).find(([, number]) => number === customMode);
  return found ? found[0] : `MODE(${customMode})`;
}

/** Flying the uploaded plan, so that a changed plan changes the flight. */
export function fliesMission(craft: Craft, customMode: number): boolean {
  const name = modeName(craft, customMode);
  return name === "AUTO" || name === "AUTO_RTL" || name === "AUTO.MISSION";
}

/** Whether arming alone sets the vehicle off. */
export function startsWhenArmed(craft: Craft, customMode: number): boolean {
  return fliesMission(craft, customMode) || /^AUTO\.(VTOL_)?TAKEOFF$/.test(modeName(craft, customMode));
}

/** MAV_CMD_DO_SET_MODE's first three parameters: base mode flag, then main and sub mode. */
export function setModeParams({ autopilot }: Craft, customMode: number): [number, number, number] {
  const CUSTOM_MODE_ENABLED = 1;
  return autopilot === "px4"
    ? [CUSTOM_MODE_ENABLED, (customMode >>> 16) & 0xff, customMode >>> 24]
    : [CUSTOM_MODE_ENABLED, customMode, 0];
}
