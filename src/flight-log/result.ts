import { z } from "zod";

const seconds = (description: string) => z.number().describe(`Seconds. ${description}`.trim());
const metres = (description = "") => z.number().describe(`Metres. ${description}`.trim());
const speed = (description = "") => z.number().describe(`Metres per second. ${description}`.trim());
const volts = z.number().describe("Volts.");

const Battery = z.object({
  used_mah: z.number().nullable().describe("Milliampere hours."),
  used_percent: z.number().nullable().describe("Of its capacity, from the first report to the last."),
  start_voltage_v: volts,
  min_voltage_v: volts,
});
export type BatteryStats = z.output<typeof Battery>;

const Gps = z.object({
  fix_share: z.number().describe("Of the receiver's reports, those with a three-dimensional fix: 0 to 1."),
  min_satellites: z.number(),
  mean_satellites: z.number(),
  mean_hdop: z.number().nullable(),
  max_hdop: z.number().nullable(),
});
export type GpsStats = z.output<typeof Gps>;

const axes = z
  .array(z.number())
  .length(3)
  .readonly()
  .describe("Metres per second squared along x, y and z. PX4 logs one value, which is in all three.");
const Vibration = z.object({
  mean: axes,
  max: axes,
  clips: z.int().describe("How often accelerometers were beyond their range."),
});
export type VibrationStats = z.output<typeof Vibration>;

const Incident = z.object({
  seconds: seconds("Since the flight began; below 0 before it."),
  severity: z.enum(["warning", "error", "failsafe"]),
  text: z.string(),
  count: z.int(),
});
export type Incident = z.output<typeof Incident>;

const sinceFirstPosition = seconds("Since the flight's first position.");
const TrackPoint = z.object({
  seconds: sinceFirstPosition,
  lat: z.number().describe("Degrees, WGS 84."),
  lng: z.number().describe("Degrees, WGS 84."),
  altitude_m: metres().nullable(),
});
export type TrackPoint = z.output<typeof TrackPoint>;

const SeriesPoint = z.object({
  seconds: sinceFirstPosition,
  altitude_m: metres().nullable(),
  speed_ms: speed().nullable(),
  battery_v: volts.nullable(),
});
export type SeriesPoint = z.output<typeof SeriesPoint>;

/**
 * The statistics of a flight log. Altitudes are above home. A flight is a span while the motors were armed, or the whole log
 * where it does not say. Values that a log lacks are null.
 */
export const FlightStats = z.object({
  format: z.enum(["dataflash", "tlog", "ulog"]),
  complete: z
    .boolean()
    .describe(
      "false when parts of the log are damaged, or when it ends inside a message and inside the flight; the statistics are of the messages that could be read.",
    ),
  messages: z.int(),
  damaged_bytes: z.int().describe("Bytes that belong to no message."),
  flight_number: z
    .int()
    .describe("Which of the log's flights the statistics are of, from 1; 0 when the motors never ran."),
  flight_count: z
    .int()
    .describe("Flights in the log: a vehicle may keep one log from power-on to power-off."),
  flight_chosen_by: z
    .enum(["time", "order"])
    .describe(
      "time: the flight that overlaps the execution, by the log's clock. order: the last one that had ended.",
    ),
  vehicle: z.string().nullable().describe("The firmware's name and version: `ArduCopter V4.7.0`."),
  started_at: z
    .string()
    .nullable()
    .describe("When the flight began, in UTC, by the vehicle's GPS or the recorder's clock."),
  log_seconds: seconds("From the vehicle's first message to its last."),
  duration_seconds: seconds("Of the flight."),
  distance_m: metres("Over ground."),
  max_speed_ms: speed().nullable(),
  mean_speed_ms: speed("Distance by duration."),
  max_altitude_m: metres().nullable(),
  min_altitude_m: metres().nullable(),
  max_climb_ms: speed().nullable(),
  max_descent_ms: speed().nullable(),
  max_distance_from_home_m: metres().nullable(),
  home: z.object({ lat: z.number(), lng: z.number() }).nullable().describe("Degrees, WGS 84."),
  battery: Battery.nullable(),
  modes: z
    .array(z.object({ name: z.string(), seconds: z.number() }))
    .describe("In the order in which they were first entered."),
  gps: Gps.nullable(),
  vibration: Vibration.nullable(),
  failsafes: z
    .int()
    .describe(
      "How often a failsafe began: ERR of ArduPilot, vehicle_status of PX4, the heartbeat's critical state in a telemetry log.",
    ),
  incidents: z
    .array(Incident)
    .describe(
      "Errors, failsafes and warnings in the order of their first appearance, 100 at most: those of the flight, and those since the flight before it.",
    ),
  track: z.array(TrackPoint).readonly().describe("500 points at most."),
  series: z.array(SeriesPoint).readonly().describe("500 points at most."),
});
export type FlightStats = z.output<typeof FlightStats>;
const column = (description: string) => z.array(z.number().nullable()).readonly().describe(description);

const FlightMessage = z.object({
  seconds: seconds("Since the flight began; below 0 before it."),
  severity: z.enum(["info", "warning", "error", "failsafe"]),
  text: z.string(),
});
export type FlightMessage = z.output<typeof FlightMessage>;

/**
 * A flight over time, by the rules of `FlightStats`: of the same flight of the log. The arrays from `seconds` to
 * `vibration_ms2` are columns of one table with 4,000 rows at most, evenly spaced among the positions of the log.
 * Measurements are the newest ones at that time, and null where the log had none yet.
 */
export const FlightTrack = z.object({
  seconds: z.array(z.number()).readonly().describe("Seconds since the flight began, in ascending order."),
  lat: z.array(z.number()).readonly().describe("Degrees, WGS 84."),
  lng: z.array(z.number()).readonly().describe("Degrees, WGS 84."),
  altitude_m: column("Metres above home."),
  speed_ms: column("Metres per second over ground."),
  climb_ms: column("Metres per second upwards."),
  battery_v: column("Volts."),
  battery_percent: column("What is left of its capacity."),
  battery_a: column("Amperes."),
  satellites: column("That the receiver uses."),
  vibration_ms2: column("Metres per second squared, of the axis that shakes most."),
  modes: z
    .array(z.object({ seconds: seconds("Since the flight began."), name: z.string() }))
    .readonly()
    .describe("Each time a mode was entered, the first one at the begin: 500 at most."),
  messages: z
    .array(FlightMessage)
    .readonly()
    .describe(
      "What the vehicle wrote, and what went wrong: the first 500, with the last 50 before the flight.",
    ),
});
export type FlightTrack = z.output<typeof FlightTrack>;

export type LogFormat = FlightStats["format"];
export type FlightChoice = FlightStats["flight_chosen_by"];

/** When the flight that is looked for took place: milliseconds since 1970. */
export interface FlightTime {
  readonly from: number;
  readonly to: number;
}

/**
 * complete: the whole log was read. damaged: it is cut off or broken in parts; the rest was read.
 * unreadable: no part of it could be read; `error` is for the pilot.
 */
export type FlightLogResult =
  | { readonly status: "complete" | "damaged"; readonly stats: FlightStats; readonly track: FlightTrack }
  | {
      readonly status: "unreadable";
      readonly reason: "empty" | "foreign" | "too_complex";
      readonly error: string;
    };
