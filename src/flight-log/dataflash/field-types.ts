/** One value of a message as the log gives it: scaled, and text without its padding. */
export type FieldValue = number | bigint | string | readonly number[];

/** The offset of a value in the code that reads it: "at" or "at + 11". */
type Offset = string;

export interface FieldType {
  /** Bytes. */
  readonly size: number;
  /** The code that reads it from `view`, where it is a number: 64 bits rounded to 53. */
  readonly number?: (offset: Offset) => string;
  /** The value in full. */
  readonly value: (view: DataView, at: number) => FieldValue;
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * Compiles code that `number` wrote a part of; `known` are the names that it uses. A log has millions of
 * messages of few formats: code for one format reads its numbers three times as fast as code that looks at each
 * field's type. Only offsets, which are numbers, may get from a log into the code.
 */
export function compile<Made>(code: string, known: Readonly<Record<string, unknown>> = {}): Made {
  const all = { halfFloat, ...known };
  return new Function(...Object.keys(all), `return ${code};`)(...Object.values(all));
}

const numeric = (size: number, number: (offset: Offset) => string): FieldType => ({
  size,
  number,
  value: compile(`(view, at) => ${number("at")}`),
});

const text = (size: number): FieldType => ({
  size,
  value: (view, at) => {
    const bytes = Buffer.from(view.buffer, view.byteOffset + at, size);
    const end = bytes.indexOf(0);
    return bytes.toString("latin1", 0, end < 0 ? size : end);
  },
});

/** By format character (ArduPilot, libraries/AP_Logger/LogStructure.h). */
export const FIELD_TYPES: Readonly<Record<string, FieldType>> = {
  a: {
    size: 64,
    value: (view, at) => Array.from({ length: 32 }, (_, index) => view.getInt16(at + index * 2, true)),
  },
  b: numeric(1, (at) => `view.getInt8(${at})`),
  B: numeric(1, (at) => `view.getUint8(${at})`),
  h: numeric(2, (at) => `view.getInt16(${at}, true)`),
  H: numeric(2, (at) => `view.getUint16(${at}, true)`),
  i: numeric(4, (at) => `view.getInt32(${at}, true)`),
  I: numeric(4, (at) => `view.getUint32(${at}, true)`),
  f: numeric(4, (at) => `view.getFloat32(${at}, true)`),
  d: numeric(8, (at) => `view.getFloat64(${at}, true)`),
  g: numeric(2, (at) => `halfFloat(view.getUint16(${at}, true))`),
  n: text(4),
  N: text(16),
  Z: text(64),
  c: numeric(2, (at) => `view.getInt16(${at}, true) / 100`),
  C: numeric(2, (at) => `view.getUint16(${at}, true) / 100`),
  e: numeric(4, (at) => `view.getInt32(${at}, true) / 100`),
  E: numeric(4, (at) => `view.getUint32(${at}, true) / 100`),
  L: numeric(4, (at) => `view.getInt32(${at}, true) / 1e7`),
  M: numeric(1, (at) => `view.getUint8(${at})`),
  q: {
    size: 8,
    number: (at) => `view.getUint32(${at}, true) + view.getInt32(${at} + 4, true) * 2 ** 32`,
    value: (view, at) => view.getBigInt64(at, true),
  },
  Q: {
    size: 8,
    number: (at) => `view.getUint32(${at}, true) + view.getUint32(${at} + 4, true) * 2 ** 32`,
    value: (view, at) => view.getBigUint64(at, true),
  },
};
