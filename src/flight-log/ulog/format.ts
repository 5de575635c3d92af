export type FieldValue = number | bigint | string | boolean;

interface FieldType {
  readonly size: number;
  readonly value: (buffer: Buffer, at: number) => FieldValue;
}

/** The basic types of PX4's ULog (docs.px4.io, "ULog File Format"). */
const TYPES: Readonly<Record<string, FieldType>> = {
  int8_t: { size: 1, value: (buffer, at) => buffer.readInt8(at) },
  uint8_t: { size: 1, value: (buffer, at) => buffer.readUInt8(at) },
  int16_t: { size: 2, value: (buffer, at) => buffer.readInt16LE(at) },
  uint16_t: { size: 2, value: (buffer, at) => buffer.readUInt16LE(at) },
  int32_t: { size: 4, value: (buffer, at) => buffer.readInt32LE(at) },
  uint32_t: { size: 4, value: (buffer, at) => buffer.readUInt32LE(at) },
  int64_t: { size: 8, value: (buffer, at) => buffer.readBigInt64LE(at) },
  uint64_t: { size: 8, value: (buffer, at) => buffer.readBigUInt64LE(at) },
  float: { size: 4, value: (buffer, at) => buffer.readFloatLE(at) },
  double: { size: 8, value: (buffer, at) => buffer.readDoubleLE(at) },
  bool: { size: 1, value: (buffer, at) => buffer[at] !== 0 },
  char: { size: 1, value: (buffer, at) => String.fromCharCode(buffer.readUInt8(at)) },
};

interface Field {
  /** `name`, `name[3]`, `nested.name`. */
  readonly path: string;
  readonly type: FieldType;
  readonly offset: number;
}

/** More than any topic of PX4 needs. A hostile log nests arrays in arrays of formats without fields. */
const MAX_STEPS = 4096;
const MAX_FORMATS = 2048;
const MAX_LAYOUTS = 4096;
const DEEPEST = 8;

/** A topic's fields with their offsets in a message's data, which begins with its timestamp. */
export class Layout {
  private readonly byPath: ReadonlyMap<string, Field>;

  constructor(
    readonly fields: readonly Field[],
    readonly size: number,
  ) {
    this.byPath = new Map(fields.map((field) => [field.path, field]));
  }

  /** Reads a field as a number (64 bits rounded to 53, a boolean as 0 or 1); undefined when there is none. */
  number(path: string): ((buffer: Buffer, at: number) => number) | undefined {
    const field = this.byPath.get(path);
    return field && ((buffer, at) => Number(field.type.value(buffer, at + field.offset)));
  }
}

/** The formats that a log declares, `name:type field;type field;`, resolved when they are used. */
export class Formats {
  private readonly declared = new Map<string, string>();
  private made = 0;
  private steps = 0;

  declare(text: string): void {
    const colon = text.indexOf(":");
    if (colon > 0 && this.declared.size < MAX_FORMATS)
      this.declared.set(text.slice(0, colon), text.slice(colon + 1));
  }

  /** Undefined when it was not declared, or when its declaration is invalid. */
  layout(name: string): Layout | undefined {
    if (++this.made > MAX_LAYOUTS) return undefined;
    this.steps = 0;
    const fields: Field[] = [];
    if (this.resolve(name, "", 0, fields, 0) === undefined) return undefined;
    // Padding at a message's end is declared and not written.
    while (/^_padding\d/.test(fields.at(-1)?.path ?? "")) fields.pop();
    const last = fields.at(-1);
    return new Layout(fields, last ? last.offset + last.type.size : 0);
  }

  /** Appends a format's fields from `offset` on; returns where they end. */
  private resolve(
    name: string,
    prefix: string,
    offset: number,
    fields: Field[],
    depth: number,
  ): number | undefined {
    const text = this.declared.get(name);
    if (text === undefined || depth > DEEPEST) return undefined;
    let end: number | undefined = offset;
    for (const declaration of text.split(";")) {
      if (declaration.trim() === "") continue;
      const match = /^\s*(\w+)(?:\[(\d{1,5})\])?\s+(\w+)\s*$/.exec(declaration);
      if (!match) return undefined;
      const [, type = "", count, field = ""] = match;
      for (let at = 0; at < Number(count ?? 1); at++) {
        const path = `${prefix}${field}${count === undefined ? "" : `[${at}]`}`;
        end = this.resolveField(type, path, end, fields, depth);
        if (end === undefined) return undefined;
      }
    }
    return end;
  }

  private resolveField(type: string, path: string, offset: number, fields: Field[], depth: number) {
    if (++this.steps > MAX_STEPS) return undefined;
    const basic = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (!basic) return this.resolve(type, `${path}.`, offset, fields, depth + 1);
    fields.push({ path, type: basic, offset });
    return offset + basic.size;
  }
}
