import { DomainError } from "../../../domain/errors";
import { common } from "../wire/messages";

const { MavParamType } = common;

/** Smallest and largest value of the integer types; none for floats. */
export const PARAM_LIMITS: Readonly<Record<number, readonly [number, number]>> = {
  [MavParamType.UINT8]: [0, 0xff],
  [MavParamType.INT8]: [-0x80, 0x7f],
  [MavParamType.UINT16]: [0, 0xffff],
  [MavParamType.INT16]: [-0x8000, 0x7fff],
  [MavParamType.UINT32]: [0, 0xffffffff],
  [MavParamType.INT32]: [-0x80000000, 0x7fffffff],
};

/**
 * A parameter's number travels in one float field. ArduPilot writes integers as that float's value; PX4, whose integers
 * are all int32, puts the integer's own bytes there. Read from the payload's bytes, since as a JavaScript number the bits
 * of a negative integer are a NaN and lost. `payload` starts with param_value, in PARAM_VALUE and PARAM_SET alike.
 */
export function readParamValue(payload: Buffer, type: number, autopilot: "ardupilot" | "px4"): number {
  const asSent = Buffer.alloc(4);
  payload.copy(asSent, 0, 0, Math.min(4, payload.length));
  return isBytewise(type, autopilot) ? asSent.readInt32LE(0) : asSent.readFloatLE(0);
}

/** Writes the number as the autopilot reads it, at the start of a PARAM_SET or PARAM_VALUE payload. */
export function writeParamValue(
  payload: Buffer,
  value: number,
  type: number,
  autopilot: "ardupilot" | "px4",
): void {
  if (isBytewise(type, autopilot)) payload.writeInt32LE(value, 0);
  else payload.writeFloatLE(value, 0);
}

const isBytewise = (type: number, autopilot: "ardupilot" | "px4"): boolean =>
  autopilot === "px4" && type === MavParamType.INT32;

/** Throws `invalid_input` when a parameter of this type cannot hold the value. */
export function assertParamFits(name: string, value: number, type: number): void {
  if (!Number.isFinite(value)) throw new DomainError("invalid_input", `${name} needs a number.`);
  const limits = PARAM_LIMITS[type];
  if (!limits) return;
  const [least, most] = limits;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new DomainError("invalid_input", `${name} takes whole numbers from ${least} to ${most}.`);
  }
}
