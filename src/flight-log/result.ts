import type { LatLng } from "../domain/geo";

export type LogFormat = "dataflash" | "tlog" | "ulog";

/**
 * The statistics of a flight log. Metres, seconds, metres per second, volts; altitudes are above home. A flight is a
 * span while the motors were armed, or the whole log where it does not say. Values that a log lacks are null.
 */
export interface FlightStats {
  readonly format: LogFormat;
  /**
   * False when parts of the log are damaged, or when it ends inside a message and inside the flight; the statistics are of
   * the messages that could be read.
   */
  readonly complete: boolean;
  readonly messages: number;
  /** Bytes that belong to no message. */
  readonly damaged_bytes: number;
  /** Which of the log's flights the statistics are of, from 1; 0 when the motors never ran. */
  readonly flight_number: number;
  /** Flights in the log: a vehicle may keep one log from power-on to power-off. */
  readonly flight_count: number;
  /** `time`: the flight that overlaps the execution, by the log's clock. `order`: the last one that had ended. */
  readonly flight_chosen_by: FlightChoice;
  /** The firmware's name and version: `ArduCopter V4.7.0`. */
  readonly vehicle: string | null;
  /** When the flight began, in UTC, by the vehicle's GPS or the recorder's clock. */
  readonly started_at: string | null;
  /** From the vehicle's first message to its last. */
  readonly log_seconds: number;
  readonly duration_seconds: number;
  /** Over ground. */
  readonly distance_m: number;
  readonly max_speed_ms: number | null;
  /** Distance by duration. */
  readonly mean_speed_ms: number;
  readonly max_altitude_m: number | null;
  readonly min_altitude_m: number | null;
  readonly max_climb_ms: number | null;
  readonly max_descent_ms: number | null;
  readonly max_distance_from_home_m: number | null;
  readonly home: LatLng | null;
  readonly battery: BatteryStats | null;
  /** In the order in which they were first entered. */
  readonly modes: readonly { readonly name: string; readonly seconds: number }[];
  readonly gps: GpsStats | null;
  readonly vibration: VibrationStats | null;
  /** How often a failsafe began: ERR of ArduPilot, vehicle_status of PX4, the heartbeat's critical state in a telemetry log. */
  readonly failsafes: number;
  /**
   * Errors, failsafes and warnings in the order of their first appearance, 100 at most: those of the flight, and those
   * since the flight before it.
   */
  readonly incidents: readonly Incident[];
  /** 500 points at most. */
  readonly track: readonly TrackPoint[];
  /** 500 points at most. */
  readonly series: readonly SeriesPoint[];
}

export type FlightChoice = "time" | "order";

/** When the flight that is looked for took place: milliseconds since 1970. */
export interface FlightTime {
  readonly from: number;
  readonly to: number;
}

export interface BatteryStats {
  readonly used_mah: number | null;
  /** Of its capacity, from the first report to the last. */
  readonly used_percent: number | null;
  readonly start_voltage_v: number;
  readonly min_voltage_v: number;
}

export interface GpsStats {
  /** Share of the receiver's reports that had a three-dimensional fix, 0 to 1. */
  readonly fix_share: number;
  readonly min_satellites: number;
  readonly mean_satellites: number;
  readonly mean_hdop: number | null;
  readonly max_hdop: number | null;
}

/** Metres per second squared, by axis; PX4 logs one value, which is in all three. */
export interface VibrationStats {
  readonly mean: readonly [x: number, y: number, z: number];
  readonly max: readonly [x: number, y: number, z: number];
  /** How often accelerometers were beyond their range. */
  readonly clips: number;
}

export interface Incident {
  /** Since the flight began; below 0 before it. */
  readonly seconds: number;
  readonly severity: "warning" | "error" | "failsafe";
  readonly text: string;
  readonly count: number;
}

export interface TrackPoint extends LatLng {
  /** Since the flight's first position. */
  readonly seconds: number;
  readonly altitude_m: number | null;
}

export interface SeriesPoint {
  /** Since the flight's first position. */
  readonly seconds: number;
  readonly altitude_m: number | null;
  readonly speed_ms: number | null;
  readonly battery_v: number | null;
}

/**
 * complete: the whole log was read. damaged: it is cut off or broken in parts; the rest was read.
 * unreadable: no part of it could be read; `error` is for the pilot.
 */
export type FlightLogResult =
  | { readonly status: "complete" | "damaged"; readonly stats: FlightStats }
  | {
      readonly status: "unreadable";
      readonly reason: "empty" | "foreign" | "too_complex";
      readonly error: string;
    };
