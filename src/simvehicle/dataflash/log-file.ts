import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BlockFile } from "../logging/block-file";
import { FIELD_TYPES, LAYOUTS, type LogMessage } from "./layouts";

const HEADER = 3;
const FMT_TYPE = 0x80;

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

/** Numbered after those that are in the folder as ArduPilot does: `00000001.BIN`. */
function nextPath(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const last = readdirSync(folder).reduce((most, name) => Math.max(most, Number.parseInt(name, 10) || 0), 0);
  return join(folder, `${String(last + 1).padStart(8, "0")}.BIN`);
}

/** A DataFlash log being written. */
export class LogFile extends BlockFile {
  /** Makes the folder when there is none. Throws what the file system says. */
  constructor(folder: string) {
    super(nextPath(folder));
    for (const [name, { type, length, format, labels }] of PLANS)
      this.write("FMT", type, length, name, format, labels);
  }

  /** The values in the order of the layout's fields. */
  write(name: LogMessage, ...values: readonly (number | string)[]): void {
    const plan = PLANS.get(name);
    if (!plan) throw new Error(`There is no layout of ${name}`);
    const message = Buffer.alloc(plan.length);
    message.set([0xa3, 0x95, plan.type]);
    let at = HEADER;
    for (const [index, field] of plan.fields.entries()) {
      field.write(message, at, values[index] ?? 0);
      at += field.size;
    }
    this.append(message);
  }
}
