/**
 * The messages that a simulated vehicle logs, as ArduPilot 4.7 lays them out: name → format characters and the
 * fields' names.
 */
export const LAYOUTS = {
  FMT: ["BBnNZ", "Type,Length,Name,Format,Columns"],
  PARM: ["QNff", "TimeUS,Name,Value,Default"],
  MSG: ["QZ", "TimeUS,Message"],
  MODE: ["QMBB", "TimeUS,Mode,ModeNum,Rsn"],
  GPS: ["QBBIHBcLLeffffB", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw,U"],
  BAT: ["QBfffffcfB", "TimeUS,Inst,Volt,VoltR,Curr,CurrTot,EnrgTot,Temp,Res,RemPct"],
  POS: ["QLLfff", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt"],
  ORGN: ["QBLLe", "TimeUS,Type,Lat,Lng,Alt"],
  EV: ["QB", "TimeUS,Id"],
  ERR: ["QBB", "TimeUS,Subsys,ECode"],
  VIBE: ["QBfffI", "TimeUS,IMU,VibeX,VibeY,VibeZ,Clip"],
} as const satisfies Record<string, readonly [format: string, labels: string]>;

export type LogMessage = keyof typeof LAYOUTS;

interface FieldType {
  readonly size: number;
  write(buffer: Buffer, at: number, value: number | string): void;
}

const number = (size: number, put: (buffer: Buffer, at: number, value: number) => void): FieldType => ({
  size,
  write: (buffer, at, value) => put(buffer, at, Number(value)),
});
const text = (size: number): FieldType => ({
  size,
  write: (buffer, at, value) => {
    buffer.fill(0, at, at + size);
    buffer.write(String(value), at, size, "latin1");
  },
});
const clamped = (value: number, most: number): number => Math.min(most, Math.max(0, Math.round(value)));

/** DataFlash format characters (ArduPilot, libraries/AP_Logger/LogStructure.h), of those used above. */
export const FIELD_TYPES: Readonly<Record<string, FieldType>> = {
  B: number(1, (buffer, at, value) => buffer.writeUInt8(clamped(value, 0xff), at)),
  M: number(1, (buffer, at, value) => buffer.writeUInt8(clamped(value, 0xff), at)),
  H: number(2, (buffer, at, value) => buffer.writeUInt16LE(clamped(value, 0xffff), at)),
  I: number(4, (buffer, at, value) => buffer.writeUInt32LE(clamped(value, 0xffff_ffff), at)),
  f: number(4, (buffer, at, value) => buffer.writeFloatLE(value, at)),
  Q: number(8, (buffer, at, value) => buffer.writeBigUInt64LE(BigInt(Math.round(value)), at)),
  /** Hundredths. */
  c: number(2, (buffer, at, value) => buffer.writeInt16LE(Math.round(value * 100), at)),
  e: number(4, (buffer, at, value) => buffer.writeInt32LE(Math.round(value * 100), at)),
  /** Degrees × 1e7. */
  L: number(4, (buffer, at, value) => buffer.writeInt32LE(Math.round(value * 1e7), at)),
  n: text(4),
  N: text(16),
  Z: text(64),
};
