import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { FIELD_TYPES, LAYOUTS, type LogMessage } from "./layouts";

const HEADER = 3;
const FMT_TYPE = 0x80;
/** Bytes gathered before they are written. */
const BLOCK = 16_384;
const LONGEST = 256;

const typeOf = (format: string, name: string) => {
  const type = FIELD_TYPES[format];
  if (!type) throw new Error(`${name} has a field of an unknown type ${format}`);
  return type;
};

const PLANS = new Map(
  Object.entries(LAYOUTS).map(([name, [format, labels]], at) => {
    const fields = [...format].map((character) => typeOf(character, name));
    const length = fields.reduce((sum, { size }) => sum + size, HEADER);
    return [name, { type: FMT_TYPE + at, format, labels, fields, length }];
  }),
);

/** A DataFlash log being written, numbered after those that are in the folder as ArduPilot does: `00000001.BIN`. */
export class LogFile {
  private readonly descriptor: number;
  private readonly block = Buffer.alloc(BLOCK);
  private filled = 0;

  /** Makes the folder when there is none. Throws what the file system says. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    const last = readdirSync(folder).reduce(
      (most, name) => Math.max(most, Number.parseInt(name, 10) || 0),
      0,
    );
    const path = join(folder, `${String(last + 1).padStart(8, "0")}.BIN`);
    this.descriptor = openSync(path, "wx");
    for (const [name, { type, length, format, labels }] of PLANS)
      this.write("FMT", type, length, name, format, labels);
  }

  /** The values in the order of the layout's fields. */
  write(message: LogMessage, ...values: readonly (number | string)[]): void {
    const plan = PLANS.get(message);
    if (!plan) throw new Error(`There is no layout of ${message}`);
    if (BLOCK - this.filled < LONGEST) this.flush();
    const { block } = this;
    let at = this.filled;
    block[at++] = 0xa3;
    block[at++] = 0x95;
    block[at++] = plan.type;
    for (const [index, field] of plan.fields.entries()) {
      field.write(block, at, values[index] ?? 0);
      at += field.size;
    }
    this.filled = at;
  }

  close(): void {
    this.flush();
    closeSync(this.descriptor);
  }

  flush(): void {
    writeSync(this.descriptor, this.block, 0, this.filled);
    this.filled = 0;
  }
}
