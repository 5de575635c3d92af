/** One value of a message as the log gives it: scaled, and text without its padding. */
export type FieldValue = number | bigint | string | readonly number[];

export interface FieldType {
  /** Bytes. */
  readonly size: number;
  /** How `putNumber` reads it, where it is a number. */
  readonly kind?: number;
  /** The value in full. */
  readonly value: (view: DataView, at: number) => FieldValue;
}

const INT8 = 0;
const UINT8 = 1;
const INT16 = 2;
const UINT16 = 3;
const INT32 = 4;
const UINT32 = 5;
const FLOAT = 6;
const DOUBLE = 7;
const HALF = 8;
const INT64 = 9;
const UINT64 = 10;
const INT16_CENTI = 11;
const UINT16_CENTI = 12;
const INT32_CENTI = 13;
const UINT32_CENTI = 14;
const DEGREES = 15;

const HIGH = 2 ** 32;

/**
 * Puts the number of this kind that stands at `at` into `values`: 64 bits rounded to 53. It is what a log's reading
 * does most, and a number that were returned from here would cost an object each time.
 */
export function putNumber(
  kind: number,
  view: DataView,
  at: number,
  values: Float64Array,
  place: number,
): void {
  if (kind === FLOAT) values[place] = view.getFloat32(at, true);
  else if (kind === DEGREES) values[place] = view.getInt32(at, true) / 1e7;
  else if (kind === UINT64) values[place] = view.getUint32(at, true) + view.getUint32(at + 4, true) * HIGH;
  else if (kind === UINT8) values[place] = view.getUint8(at);
  else putRareNumber(kind, view, at, values, place);
}

function putRareNumber(kind: number, view: DataView, at: number, values: Float64Array, place: number): void {
  switch (kind) {
    case INT8:
      values[place] = view.getInt8(at);
      return;
    case INT16:
      values[place] = view.getInt16(at, true);
      return;
    case UINT16:
      values[place] = view.getUint16(at, true);
      return;
    case INT32:
      values[place] = view.getInt32(at, true);
      return;
    case UINT32:
      values[place] = view.getUint32(at, true);
      return;
    case DOUBLE:
      values[place] = view.getFloat64(at, true);
      return;
    case HALF:
      values[place] = halfFloat(view.getUint16(at, true));
      return;
    case INT64:
      values[place] = view.getUint32(at, true) + view.getInt32(at + 4, true) * HIGH;
      return;
    case INT16_CENTI:
      values[place] = view.getInt16(at, true) / 100;
      return;
    case UINT16_CENTI:
      values[place] = view.getUint16(at, true) / 100;
      return;
    case INT32_CENTI:
      values[place] = view.getInt32(at, true) / 100;
      return;
    case UINT32_CENTI:
      values[place] = view.getUint32(at, true) / 100;
      return;
    default:
      values[place] = Number.NaN;
  }
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const one = new Float64Array(1);
const numeric = (size: number, kind: number): FieldType => ({
  size,
  kind,
  value: (view, at) => {
    putNumber(kind, view, at, one, 0);
    return one[0] as number;
  },
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
  b: numeric(1, INT8),
  B: numeric(1, UINT8),
  h: numeric(2, INT16),
  H: numeric(2, UINT16),
  i: numeric(4, INT32),
  I: numeric(4, UINT32),
  f: numeric(4, FLOAT),
  d: numeric(8, DOUBLE),
  g: numeric(2, HALF),
  n: text(4),
  N: text(16),
  Z: text(64),
  c: numeric(2, INT16_CENTI),
  C: numeric(2, UINT16_CENTI),
  e: numeric(4, INT32_CENTI),
  E: numeric(4, UINT32_CENTI),
  L: numeric(4, DEGREES),
  M: numeric(1, UINT8),
  q: { ...numeric(8, INT64), value: (view, at) => view.getBigInt64(at, true) },
  Q: { ...numeric(8, UINT64), value: (view, at) => view.getBigUint64(at, true) },
};
