/** One value of a message as the log gives it: scaled, and text without its padding. */
export type FieldValue = number | bigint | string | readonly number[];

type ReadNumber = (buffer: Buffer, at: number) => number;

interface FieldType {
  readonly size: number;
  /** For statistics: a JavaScript number, 64 bits rounded to 53. */
  readonly number?: ReadNumber;
  /** The value in full. */
  readonly value: (buffer: Buffer, at: number) => FieldValue;
}

const numeric = (size: number, number: ReadNumber): FieldType => ({ size, number, value: number });
const text = (size: number): FieldType => ({
  size,
  value: (buffer, at) => {
    const end = buffer.indexOf(0, at);
    return buffer.toString("latin1", at, end < 0 ? at + size : Math.min(end, at + size));
  },
});
const high = 2 ** 32;

function halfFloat(buffer: Buffer, at: number): number {
  const bits = buffer.readUInt16LE(at);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** DataFlash format characters (ArduPilot, libraries/AP_Logger/LogStructure.h). */
const TYPES: Readonly<Record<string, FieldType>> = {
  a: {
    size: 64,
    value: (buffer, at) => Array.from({ length: 32 }, (_, index) => buffer.readInt16LE(at + index * 2)),
  },
  b: numeric(1, (buffer, at) => buffer.readInt8(at)),
  B: numeric(1, (buffer, at) => buffer[at] as number),
  h: numeric(2, (buffer, at) => buffer.readInt16LE(at)),
  H: numeric(2, (buffer, at) => buffer.readUInt16LE(at)),
  i: numeric(4, (buffer, at) => buffer.readInt32LE(at)),
  I: numeric(4, (buffer, at) => buffer.readUInt32LE(at)),
  f: numeric(4, (buffer, at) => buffer.readFloatLE(at)),
  d: numeric(8, (buffer, at) => buffer.readDoubleLE(at)),
  g: numeric(2, halfFloat),
  n: text(4),
  N: text(16),
  Z: text(64),
  c: numeric(2, (buffer, at) => buffer.readInt16LE(at) / 100),
  C: numeric(2, (buffer, at) => buffer.readUInt16LE(at) / 100),
  e: numeric(4, (buffer, at) => buffer.readInt32LE(at) / 100),
  E: numeric(4, (buffer, at) => buffer.readUInt32LE(at) / 100),
  L: numeric(4, (buffer, at) => buffer.readInt32LE(at) / 1e7),
  M: numeric(1, (buffer, at) => buffer[at] as number),
  q: {
    size: 8,
    number: (buffer, at) => buffer.readUInt32LE(at) + buffer.readInt32LE(at + 4) * high,
    value: (buffer, at) => buffer.readBigInt64LE(at),
  },
  Q: {
    size: 8,
    number: (buffer, at) => buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * high,
    value: (buffer, at) => buffer.readBigUInt64LE(at),
  },
};

interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** From the message's first byte. */
  readonly offset: number;
}

export const HEADER_LENGTH = 3;

/** A message's layout, as a FMT message of the log declares it. */
export class MessageFormat {
  private constructor(
    readonly type: number,
    /** With its header. */
    readonly length: number,
    readonly name: string,
    readonly fields: readonly Field[],
  ) {}

  /**
   * Undefined when what is declared cannot be: a length that its fields do not fill exactly, an unknown
   * format character, fields without a name.
   */
  static declare(
    type: number,
    length: number,
    name: string,
    format: string,
    labels: string,
  ): MessageFormat | undefined {
    const names = labels === "" ? [] : labels.split(",");
    if (names.length !== format.length || name === "") return undefined;
    const fields: Field[] = [];
    let offset = HEADER_LENGTH;
    for (const [at, character] of [...format].entries()) {
      const fieldType = Object.hasOwn(TYPES, character) ? TYPES[character] : undefined;
      if (!fieldType) return undefined;
      fields.push({ name: (names[at] as string).trim(), type: fieldType, offset });
      offset += fieldType.size;
    }
    return offset === length ? new MessageFormat(type, length, name, fields) : undefined;
  }

  /** Reads a field of the message that begins at `at`; undefined when it has none of that name, or no number. */
  number(name: string): ReadNumber | undefined {
    const field = this.fields.find((candidate) => candidate.name === name);
    const read = field?.type.number;
    if (!field || !read) return undefined;
    const { offset } = field;
    return (buffer, at) => read(buffer, at + offset);
  }

  text(name: string): ((buffer: Buffer, at: number) => string) | undefined {
    const field = this.fields.find((candidate) => candidate.name === name);
    return field && ((buffer, at) => String(field.type.value(buffer, at + field.offset)));
  }

  /** All values of the message that begins at `at`. */
  values(buffer: Buffer, at: number): Map<string, FieldValue> {
    return new Map(this.fields.map(({ name, type, offset }) => [name, type.value(buffer, at + offset)]));
  }
}
