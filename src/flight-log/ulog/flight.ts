import { modeName } from "../../vehicle/mavlink/modes";
import type { FlightReader } from "../reader";
import type { FlightTime } from "../result";
import { FlightStatsBuilder } from "../stats/flight-stats-builder";
import { ESTIMATOR, RECEIVER } from "../stats/ground-track";
import { severityOf } from "../stats/incidents";
import type { Layout } from "./format";
import { type OnData, UlogReader } from "./reader";

type Read = (buffer: Buffer, at: number) => number;
type Handle = (flight: FlightStatsBuilder, value: (name: string) => number | undefined) => void;

const ARMED = 2;
const WARNING = 4;
const UNKNOWN_AMPS = -1;

/** vehicle_status.nav_state → the custom_mode that PX4 shows for it (main mode, sub mode). */
const NAV_STATES: Readonly<Record<number, readonly [main: number, sub: number]>> = {
  0: [1, 0],
  1: [2, 0],
  2: [3, 0],
  3: [4, 4],
  4: [4, 3],
  5: [4, 5],
  6: [3, 2],
  8: [11, 0],
  10: [5, 0],
  12: [4, 20],
  13: [10, 0],
  14: [6, 0],
  15: [7, 0],
  17: [4, 2],
  18: [4, 6],
  19: [4, 8],
  20: [4, 9],
  21: [3, 1],
  22: [4, 10],
  23: [4, 11],
  24: [4, 12],
  25: [4, 13],
  26: [4, 14],
  27: [4, 15],
  28: [4, 16],
  29: [4, 17],
  30: [4, 18],
};

/** Older firmware: degrees × 1e7 and millimetres; newer: degrees and metres, as doubles. */
const gpsPosition = (value: (name: string) => number | undefined) => {
  const [lat, lon, alt] = [value("lat"), value("lon"), value("alt")];
  if (lat !== undefined && lon !== undefined && alt !== undefined)
    return { lat: lat / 1e7, lng: lon / 1e7, altitude: alt / 1000 };
  const [latitude, longitude, altitude] = [
    value("latitude_deg"),
    value("longitude_deg"),
    value("altitude_msl_m"),
  ];
  if (latitude === undefined || longitude === undefined || altitude === undefined) return undefined;
  return { lat: latitude, lng: longitude, altitude };
};

const gps: Handle = (flight, value) => {
  const fix = value("fix_type") ?? 0;
  flight.gps(fix, value("satellites_used") ?? 0, value("hdop"));
  const position = gpsPosition(value);
  if (fix < 3 || !position) return;
  flight.position(RECEIVER, position.lat, position.lng, position.altitude);
  flight.utc((value("time_utc_usec") ?? 0) / 1000);
};

/** The topics that the statistics need (PX4's message definitions name their fields). */
const TOPICS: Readonly<Record<string, Handle>> = {
  vehicle_global_position: (flight, value) => {
    const [lat, lon, alt] = [value("lat"), value("lon"), value("alt")];
    if (lat !== undefined && lon !== undefined && alt !== undefined)
      flight.position(ESTIMATOR, lat, lon, alt);
  },
  vehicle_local_position: (flight, value) => {
    const [vx, vy, vz] = [value("vx"), value("vy"), value("vz")];
    if (vx !== undefined && vy !== undefined)
      flight.velocity(Math.hypot(vx, vy), vz === undefined ? undefined : -vz);
  },
  vehicle_gps_position: gps,
  sensor_gps: gps,
  home_position: (flight, value) => {
    const [lat, lon, alt] = [value("lat"), value("lon"), value("alt")];
    const isValid = value("valid_hpos") !== 0 && value("valid_alt") !== 0;
    if (isValid && lat !== undefined && lon !== undefined && alt !== undefined) flight.home(lat, lon, alt);
  },
  vehicle_status: (flight, value) => {
    flight.armedIs(value("arming_state") === ARMED);
    const state = value("nav_state");
    if (state !== undefined) flight.mode(state);
    flight.failsafe(value("failsafe") === 1, "Failsafe");
  },
  battery_status: (flight, value) => {
    const left = value("remaining");
    flight.battery(
      value("voltage_v") ?? Number.NaN,
      value("discharged_mah"),
      left === undefined ? undefined : left * 100,
      value("current_a") === UNKNOWN_AMPS ? undefined : value("current_a"),
    );
  },
  vehicle_imu_status: (flight, value) => {
    const metric = value("accel_vibration_metric");
    if (metric === undefined) return;
    const clips = [0, 1, 2].reduce((sum, axis) => sum + (value(`accel_clipping[${axis}]`) ?? 0), 0);
    flight.vibration(0, metric, metric, metric, clips);
  },
};

function handler(name: string, layout: Layout, flight: FlightStatsBuilder): OnData | undefined {
  const handle = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  const time = layout.number("timestamp");
  if (!handle || !time) return undefined;
  const fields: Record<string, Read | undefined> = Object.create(null);
  let message: Buffer;
  let start = 0;
  const value = (field: string): number | undefined => {
    if (!(field in fields)) fields[field] = layout.number(field);
    return fields[field]?.(message, start);
  };
  return (buffer, at) => {
    message = buffer;
    start = at;
    if (flight.at(time(buffer, at) / 1e6)) handle(flight, value);
  };
}

/** Reads a PX4 log. */
export function ulogFlight(during?: FlightTime): FlightReader {
  const flight = new FlightStatsBuilder(during);
  const messages = new UlogReader({
    topic: (name, instance, layout) => (instance === 0 ? handler(name, layout, flight) : undefined),
    text: (level, microseconds, text) => {
      if (!flight.at(microseconds / 1e6)) return;
      const inWords = severityOf(text);
      if (inWords) flight.incident(inWords, text);
      else if (level >= 0 && level <= WARNING) flight.incident(level < WARNING ? "error" : "warning", text);
      else flight.message("info", text);
    },
  });
  return { format: "ulog", messages, figures: () => flight.figures(nameOf) };
}

function nameOf(state: number): string {
  const mode = NAV_STATES[state];
  return mode
    ? modeName({ autopilot: "px4", kind: "copter" }, ((mode[1] << 24) | (mode[0] << 16)) >>> 0)
    : `MODE(${state})`;
}
