/** Writers of small flight logs for tests, each message as the autopilots' own documentation lays it out. */

const padded = (text: string, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.write(text, "latin1");
  return bytes;
};

const SIZES: Readonly<Record<string, number>> = {
  ...{ b: 1, B: 1, M: 1, h: 2, H: 2, c: 2, C: 2, g: 2, i: 4, I: 4, e: 4, E: 4, L: 4, f: 4 },
  ...{ d: 8, q: 8, Q: 8, n: 4, N: 16, Z: 64, a: 64 },
};

function put(type: string, value: number | string): Buffer {
  const bytes = Buffer.alloc(SIZES[type] ?? 0);
  if (typeof value === "string") bytes.write(value, "latin1");
  else if (type === "a") for (let at = 0; at < 32; at++) bytes.writeInt16LE(value + at, at * 2);
  else if (type === "b") bytes.writeInt8(value);
  else if (type === "B" || type === "M") bytes.writeUInt8(value);
  // Raw, whatever the scale of the type.
  else if (type === "h" || type === "c") bytes.writeInt16LE(value);
  else if (type === "H" || type === "C" || type === "g") bytes.writeUInt16LE(value);
  else if (type === "i" || type === "e") bytes.writeInt32LE(value);
  else if (type === "I" || type === "E") bytes.writeUInt32LE(value);
  else if (type === "q") bytes.writeBigInt64LE(BigInt(value));
  else if (type === "L") bytes.writeInt32LE(Math.round(value * 1e7));
  else if (type === "f") bytes.writeFloatLE(value);
  else if (type === "d") bytes.writeDoubleLE(value);
  else bytes.writeBigUInt64LE(BigInt(Math.round(value)));
  return bytes;
}

/** An ArduPilot DataFlash log in memory. */
export class DataFlashLog {
  private readonly parts: Buffer[] = [];
  private readonly formats = new Map<string, { type: number; format: string }>();
  /** Bytes so far. */
  size = 0;

  constructor() {
    this.declare(0x80, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");
  }

  declare(type: number, name: string, format: string, labels: string, length = lengthOf(format)): this {
    this.formats.set(name, { type, format });
    const head = Buffer.from([0xa3, 0x95, 0x80, type, length]);
    return this.raw(head, padded(name, 4), padded(format, 16), padded(labels, 64));
  }

  write(name: string, ...values: (number | string)[]): this {
    const declared = this.formats.get(name);
    if (!declared) throw new Error(`${name} was not declared`);
    const fields = [...declared.format].map((type, at) => put(type, values[at] ?? 0));
    return this.raw(Buffer.from([0xa3, 0x95, declared.type]), ...fields);
  }

  raw(...bytes: Buffer[]): this {
    this.parts.push(...bytes);
    for (const { length } of bytes) this.size += length;
    return this;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

const lengthOf = (format: string): number => [...format].reduce((sum, type) => sum + (SIZES[type] ?? 0), 3);

/** A PX4 ULog in memory. */
export class Ulog {
  private readonly parts: Buffer[] = [
    Buffer.from([0x55, 0x4c, 0x6f, 0x67, 0x01, 0x12, 0x35, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
  ];

  message(type: string, ...payload: Buffer[]): this {
    const body = Buffer.concat(payload);
    const head = Buffer.alloc(3);
    head.writeUInt16LE(body.length);
    head.write(type, 2);
    this.parts.push(head, body);
    return this;
  }

  format(text: string): this {
    return this.message("F", Buffer.from(text));
  }

  subscribe(id: number, topic: string): this {
    return this.message("A", Buffer.from([0]), put("H", id), Buffer.from(topic));
  }

  /** `types`: DataFlash format characters of the same sizes. */
  data(id: number, types: string, ...values: number[]): this {
    return this.message("D", put("H", id), ...[...types].map((type, at) => put(type, values[at] ?? 0)));
  }

  log(level: number, microseconds: number, text: string): this {
    return this.message("L", Buffer.from(String(level)), put("Q", microseconds), Buffer.from(text));
  }

  raw(...bytes: Buffer[]): this {
    this.parts.push(...bytes);
    return this;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** A ground station's log: each frame behind the time at which it came, in microseconds since 1970. */
export const tlog = (frames: readonly { readonly at: number; readonly frame: Buffer }[]): Buffer =>
  Buffer.concat(
    frames.flatMap(({ at, frame }) => {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(at));
      return [stamp, frame];
    }),
  );

/** Straight north for 100 s at a constant height of 30 m: 0.0001° of latitude, 11.1 m, each second. */
export function straightFlight(): Buffer {
  const written = new DataFlashLog()
    .declare(4, "POS", "QLLfff", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt")
    .declare(5, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn");
  written.write("MODE", 1e6, 3, 3, 1);
  for (let t = 1; t <= 101; t++) written.write("POS", t * 1e6, 47 + t * 1e-4, 8, 500, 30, 30);
  return written.bytes;
}
