import { LogAnalysis } from "../flight-log/analysis";
import type { FlightLogResult, FlightStats, FlightTime, FlightTrack } from "../flight-log/result";
import { DataFlashLog } from "./flight-logs";

/** Analyses the bytes, handed over in pieces of this size. */
export function analyse(bytes: Buffer, piece = bytes.length || 1, during?: FlightTime): FlightLogResult {
  const analysis = new LogAnalysis("flight.bin", during);
  for (let at = 0; at < bytes.length; at += piece) {
    if (!analysis.push(bytes.subarray(at, at + piece))) break;
  }
  return analysis.end();
}

function read(bytes: Buffer, piece?: number, during?: FlightTime) {
  const result = analyse(bytes, piece, during);
  if (result.status === "unreadable") throw new Error(result.error);
  return result;
}

export const statsOf = (bytes: Buffer, piece?: number, during?: FlightTime): FlightStats =>
  read(bytes, piece, during).stats;

export const trackOf = (bytes: Buffer, during?: FlightTime): FlightTrack =>
  read(bytes, undefined, during).track;

export const HOME = { lat: 47, lng: 8, altitude: 500 };
export const NORTH = 1 / 111_318.845;
export const micro = (seconds: number) => seconds * 1e6;

export function declared(): DataFlashLog {
  return new DataFlashLog()
    .declare(1, "MSG", "QZ", "TimeUS,Message")
    .declare(2, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn")
    .declare(3, "EV", "QB", "TimeUS,Id")
    .declare(4, "POS", "QLLfff", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt")
    .declare(5, "GPS", "QBBIHBfLLfff", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,VZ")
    .declare(6, "BAT", "QBff", "TimeUS,Inst,Volt,CurrTot")
    .declare(7, "ERR", "QBB", "TimeUS,Subsys,ECode")
    .declare(8, "VIBE", "QBfffI", "TimeUS,IMU,VibeX,VibeY,VibeZ,Clip")
    .declare(9, "ORGN", "QBLLf", "TimeUS,Type,Lat,Lng,Alt");
}

/** Armed at 10 s, 100 s north at 5 m/s and 20 m height, then down; disarmed at 120 s. */
export function flight(): DataFlashLog {
  const log = declared().write("MSG", micro(1), "ArduCopter V4.7.0 (simulated)");
  log.write("MODE", micro(1), 4, 4, 0).write("ORGN", micro(2), 1, HOME.lat, HOME.lng, HOME.altitude);
  // It was carried about before.
  log.write("POS", micro(5), HOME.lat + 50 * NORTH, HOME.lng, 900, 400, 400);
  for (let tenth = 100; tenth <= 1200; tenth++) {
    const t = tenth / 10;
    if (tenth === 100) log.write("EV", micro(t), 10);
    if (tenth === 600) log.write("MODE", micro(t), 6, 6, 0);
    const moving = t > 10 && t <= 110;
    const north = Math.min(100, t - 10) * 5;
    const height = t < 110 ? 20 : 20 - (t - 110) * 2;
    log.write("POS", micro(t), HOME.lat + north * NORTH, HOME.lng, 500 + height, height, height);
    if (tenth % 2 === 0)
      log.write(
        "GPS",
        micro(t),
        0,
        6,
        300_000_000 + t * 1000,
        2300,
        14,
        0.7,
        HOME.lat,
        HOME.lng,
        500,
        moving ? 5 : 0,
        t > 110 ? 2 : 0,
      );
    if (tenth % 10 === 0) log.write("BAT", micro(t), 0, 12.6 - (t - 10) / 100, (t - 10) * 5);
    if (tenth % 10 === 0) log.write("BAT", micro(t), 1, 3, 0);
    if (tenth % 10 === 0) log.write("VIBE", micro(t), 0, 1, 2, t === 50 ? 30 : 3, t > 50 ? 7 : 4);
    if (tenth === 900) log.write("ERR", micro(t), 6, 1);
  }
  return log.write("EV", micro(120), 11).write("POS", micro(130), HOME.lat, HOME.lng, 500, 0, 0);
}
