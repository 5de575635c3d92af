import type { Event } from "../wire/messages";
import { PX4_CHECKS, PX4_ENUMS, PX4_MODE_GROUPS } from "./px4-checks";

/** A check that PX4 reports as failed. */
export interface PreflightCheck {
  /** With the parameters that configure it: "Vehicle is in safety configuration (COM_ARMABLE)". */
  readonly text: string;
  /** MAV_SEVERITY. */
  readonly severity: number;
  /** A bit for each mode that it concerns; see `hasMode`. */
  readonly modes: number;
}

/** The number of PX4's autopilot among the components of an event's id. */
const PX4 = 1;
/** A check's own arguments follow its modes (u32) and the index of its component (u8). */
const OWN_ARGUMENTS = 5;
const FIRST_OWN_ARGUMENT = 3;

/** The number of a PX4 event without its component; undefined when another component sent it. */
export const px4EventId = ({ id }: Event): number | undefined =>
  id >>> 24 === PX4 ? id & 0xff_ff_ff : undefined;

/** Undefined when the table (made by `.ci/px4-checks/generate.py`) has no such check: another version's, or no check. */
export function preflightCheck(event: Event): PreflightCheck | undefined {
  const [message, types, params] = PX4_CHECKS[px4EventId(event) ?? Number.NaN] ?? [];
  if (message === undefined) return undefined;
  const bytes = Buffer.from(event.arguments);
  const values = readArguments(bytes.subarray(OWN_ARGUMENTS), words(types));
  const text = message.replace(PLACEHOLDER, (_, number: string, digits?: string, unit?: string) =>
    format(values[Number(number) - FIRST_OWN_ARGUMENT], digits, unit),
  );
  return {
    text: params ? `${text} (${words(params).join(", ")})` : text,
    severity: event.logLevels & 0xf,
    modes: bytes.readUInt32LE(0),
  };
}

/** Whether a set of modes has this one; undefined for a mode that the table does not have. */
export function hasMode(modes: number, customMode: number): boolean | undefined {
  const group = PX4_MODE_GROUPS[customMode];
  return group === undefined ? undefined : ((modes >>> group) & 1) === 1;
}

const words = (text = ""): string[] => text.split(" ").filter(Boolean);

/** {NUMBER[:[.DIGITS][UNIT]]}, as in "{3:.1m/s}". */
const PLACEHOLDER = /\{(\d+)(?::(?:\.(\d+))?([^}]*))?\}/g;

const READERS: Readonly<
  Record<string, readonly [bytes: number, read: (from: Buffer, at: number) => number]>
> = {
  u8: [1, (from, at) => from.readUInt8(at)],
  i8: [1, (from, at) => from.readInt8(at)],
  u16: [2, (from, at) => from.readUInt16LE(at)],
  i16: [2, (from, at) => from.readInt16LE(at)],
  f32: [4, (from, at) => from.readFloatLE(at)],
};
const [ENUM_BYTES, readEnum] = READERS.u8!;

function readArguments(bytes: Buffer, types: readonly string[]): (number | string)[] {
  let at = 0;
  return types.map((type) => {
    const texts = PX4_ENUMS[type];
    const [length, read] = READERS[type] ?? [ENUM_BYTES, readEnum];
    const value = read(bytes, at);
    at += length;
    return texts ? (texts[value] ?? String(value)) : value;
  });
}

function format(value: number | string | undefined, digits?: string, unit?: string): string {
  if (value === undefined || typeof value === "string") return value ?? "?";
  const number = digits === undefined ? String(Number(value.toPrecision(6))) : value.toFixed(Number(digits));
  return unit ? `${number} ${unit}` : number;
}
