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
 * A parameter's number travels in one float field. ArduPilot writes integers as that float's value; PX4 puts
 * the integer's own bytes there. Read from the payload's bytes, since as a JavaScript number the bits of a
 * negative integer are a NaN and lost. `payload` starts with param_value, in PARAM_VALUE and PARAM_SET alike.
 */
export function readParamValue(payload: Buffer, type: number, autopilot: "ardupilot" | "px4"): number {
  const asSent = Buffer.alloc(4);
  payload.copy(asSent, 0, 0, Math.min(4, payload.length));
  if (autopilot === "ardupilot") return asSent.readFloatLE(0);
  switch (type) {
    case MavParamType.UINT8:
      return asSent.readUInt8(0);
    case MavParamType.INT8:
      return asSent.readInt8(0);
    case MavParamType.UINT16:
      return asSent.readUInt16LE(0);
    case MavParamType.INT16:
      return asSent.readInt16LE(0);
    case MavParamType.UINT32:
      return asSent.readUInt32LE(0);
    case MavParamType.INT32:
      return asSent.readInt32LE(0);
    default:
      return asSent.readFloatLE(0);
  }
}

/** Writes the number as the autopilot reads it, at the start of a PARAM_SET or PARAM_VALUE payload. */
export function writeParamValue(
  payload: Buffer,
  value: number,
  type: number,
  autopilot: "ardupilot" | "px4",
): void {
  if (autopilot === "ardupilot" || type === MavParamType.REAL32 || !PARAM_LIMITS[type]) {
    payload.writeFloatLE(value, 0);
    return;
  }
  // The two's complement of a smaller type begins with the same bytes.
  if (value < 0) payload.writeInt32LE(value, 0);
  else payload.writeUInt32LE(value, 0);
}

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
