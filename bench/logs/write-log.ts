import { closeSync, openSync, writeSync } from "node:fs";
import { DataFlashLog } from "../../src/testing/flight-logs";

/** Name, format, labels, and messages a second: what a copter logs by ArduPilot's default LOG_BITMASK. */
const MIX: readonly (readonly [name: string, format: string, labels: string, rate: number])[] = [
  ["IMU", "QBffffffIIfBBHH", "TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T,GH,AH,GHz,AHz", 75],
  ["RATE", "Qffffffffffff", "TimeUS,RDes,R,ROut,PDes,P,POut,YDes,Y,YOut,ADes,A,AOut", 10],
  ["ATT", "QffffffB", "TimeUS,DesRoll,Roll,DesPitch,Pitch,DesYaw,Yaw,AEKF", 10],
  ["PIDR", "QffffffffffB", "TimeUS,Tar,Act,Err,P,I,D,FF,DFF,Dmod,SRate,Flags", 10],
  ["PIDP", "QffffffffffB", "TimeUS,Tar,Act,Err,P,I,D,FF,DFF,Dmod,SRate,Flags", 10],
  ["PIDY", "QffffffffffB", "TimeUS,Tar,Act,Err,P,I,D,FF,DFF,Dmod,SRate,Flags", 10],
  ["XKF1", "QBccCfffffffccce", "TimeUS,C,Roll,Pitch,Yaw,VN,VE,VD,dPD,PN,PE,PD,GX,GY,GZ,OH", 20],
  ["XKF4", "QBcccccfffHBIH", "TimeUS,C,SV,SP,SH,SM,SVT,errRP,OFN,OFE,FS,TS,SS,GPS", 20],
  ["RCIN", "QHHHHHHHHHHHHHH", "TimeUS,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14", 10],
  ["RCOU", "QHHHHHHHHHHHHHH", "TimeUS,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14", 10],
  ["CTUN", "Qffffffefffhh", "TimeUS,ThI,ABst,ThO,ThH,DAlt,Alt,BAlt,DSAlt,SAlt,TAlt,DCRt,CRt", 10],
  ["BARO", "QBffcf", "TimeUS,I,Alt,Press,Temp,CRt", 10],
  ["MAG", "QBhhhhhh", "TimeUS,I,MagX,MagY,MagZ,OfsX,OfsY,OfsZ", 10],
  ["POS", "QLLfff", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt", 10],
  ["GPS", "QBBIHBcLLeffffB", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw,U", 5],
  ["BAT", "QBfffffcfB", "TimeUS,Inst,Volt,VoltR,Curr,CurrTot,EnrgTot,Temp,Res,RemPct", 10],
  ["VIBE", "QBfffI", "TimeUS,IMU,VibeX,VibeY,VibeZ,Clip", 10],
];
const SECONDS_PER_BLOCK = 60;
const FIRST_TYPE = 10;

/** A minute of flight whose timestamps begin at 0. */
function minute(): { head: Buffer; block: Buffer; times: number[] } {
  const log = new DataFlashLog();
  for (const [at, [name, format, labels]] of MIX.entries())
    log.declare(FIRST_TYPE + at, name, format, labels);
  const head = log.bytes;
  const due = MIX.flatMap(([name, , , rate]) =>
    Array.from({ length: rate * SECONDS_PER_BLOCK }, (_, index) => ({ name, micros: (index * 1e6) / rate })),
  ).sort((a, b) => a.micros - b.micros);
  const sizes = due.map(({ name, micros }) => {
    const before = log.size;
    const north = micros / 1e6 / 20_000;
    if (name === "POS") log.write(name, micros, 47 + north, 8, 500, 20, 20);
    else if (name === "GPS") log.write(name, micros, 0, 3, 1_000, 2_300, 14, 80, 47 + north, 8, 50_000, 5.5);
    else if (name === "BAT") log.write(name, micros, 0, 12, 12, 15, 100);
    else log.write(name, micros);
    return log.size - before;
  });
  let at = 0;
  const times = sizes.map((size) => {
    at += size;
    return at - size + 3;
  });
  return { head, block: log.bytes.subarray(head.length), times };
}

/** Writes a DataFlash log of at least so many bytes; returns its size. */
export function writeLog(path: string, bytes: number): number {
  const { head, block, times } = minute();
  const file = openSync(path, "w");
  let written = writeSync(file, head);
  while (written < bytes) {
    written += writeSync(file, block);
    for (const at of times)
      block.writeBigUInt64LE(block.readBigUInt64LE(at) + BigInt(SECONDS_PER_BLOCK * 1e6), at);
  }
  closeSync(file);
  return written;
}
