import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { BlockFile } from "../logging/block-file";
import { ParamType, type StoredParam } from "../params/store";
import { encode, type FieldType, type FieldValue, sizeOf, TOPICS, type Topic } from "./layouts";

/** "ULog", and the version of the format. */
const MAGIC = Buffer.from([0x55, 0x4c, 0x6f, 0x67, 0x01, 0x12, 0x35, 0x01]);
/** By which a reader finds its way again in a damaged log. */
const SYNC = Buffer.from([0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12]);
/** Of which no bit is set: nothing was appended to the log. */
const FLAG_BITS = Buffer.alloc(40);
/** 1.18.0, a release. */
const VERSION = 0x011200ff;
const LONGEST_TEXT = 127;

const PLANS = new Map(
  Object.entries(TOPICS).map(([name, topic], id) => {
    const fields: readonly (readonly [string, FieldType])[] = [
      ["timestamp", "uint64_t"],
      ...Object.entries(topic),
    ];
    // PX4 declares the padding to a multiple of 8 bytes, and does not write it.
    const size = fields.reduce((sum, [, type]) => sum + sizeOf(type), 0);
    const padding = size % 8 === 0 ? "" : `uint8_t[${8 - (size % 8)}] _padding0;`;
    const format = `${name}:${fields.map(([field, type]) => `${type} ${field};`).join("")}${padding}`;
    return [name, { id, fields, format }];
  }),
);

/** PX4 names a log by the day and the second, in UTC, in which it begins. When that is taken, the next second's is. */
function freePath(folder: string, now: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().split(/[T.]/);
  const path = join(folder, "log", day, `${time.replaceAll(":", "_")}.ulg`);
  if (existsSync(path)) return freePath(folder, now + 1000);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** A PX4 log being written. It begins with its definitions. Times are microseconds of the vehicle's own time. */
export class LogFile extends BlockFile {
  /** `now`: the wall clock in milliseconds. Makes the folders that are missing. Throws what the file system says. */
  constructor(folder: string, now: number, time: number, params: readonly StoredParam[]) {
    super(freePath(folder, now));
    this.append(Buffer.concat([MAGIC, encode("uint64_t", time)]));
    this.message("B", FLAG_BITS);
    this.keyed("I", "uint32_t ver_sw_release", encode("uint32_t", VERSION));
    this.keyed("I", "char[8] ver_hw", Buffer.from("PX4_SITL"));
    this.keyed("I", "char[3] sys_name", Buffer.from("PX4"));
    this.keyed("I", "int32_t time_ref_utc", encode("int32_t", 0));
    for (const { format } of PLANS.values()) this.message("F", Buffer.from(format));
    for (const { name, type, value } of params) {
      const kind = type === ParamType.REAL32 ? "float" : "int32_t";
      this.keyed("P", `${kind} ${name}`, encode(kind, value));
    }
    for (const [name, { id }] of PLANS) {
      const instance = 0;
      this.message("A", encode("uint8_t", instance), encode("uint16_t", id), Buffer.from(name));
    }
  }

  /** A topic's message, with its fields by their names. */
  write<T extends Topic>(topic: T, time: number, values: Record<keyof (typeof TOPICS)[T], FieldValue>): void {
    const plan = PLANS.get(topic);
    if (!plan) throw new Error(`There is no topic ${topic}`);
    const all: Readonly<Record<string, FieldValue>> = { ...values, timestamp: time };
    const fields = plan.fields.map(([field, type]) => encode(type, all[field] ?? 0));
    this.message("D", encode("uint16_t", plan.id), ...fields);
  }

  /** `level`: syslog's, which is written as a digit. */
  log(level: number, time: number, text: string): void {
    const bytes = Buffer.from(text).subarray(0, LONGEST_TEXT);
    this.message("L", Buffer.from(String(level)), encode("uint64_t", time), bytes);
  }

  sync(): void {
    this.message("S", SYNC);
  }

  private keyed(letter: string, key: string, value: Buffer): void {
    this.message(letter, encode("uint8_t", key.length), Buffer.from(key), value);
  }

  private message(letter: string, ...parts: readonly Buffer[]): void {
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    this.append(Buffer.concat([encode("uint16_t", size), Buffer.from(letter), ...parts]));
  }
}
