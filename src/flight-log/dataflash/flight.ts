import { modeName } from "../../vehicle/mavlink/modes";
import type { FlightReader } from "../reader";
import type { FlightTime } from "../result";
import { FlightStatsBuilder } from "../stats/flight-stats-builder";
import { ESTIMATOR, RECEIVER } from "../stats/ground-track";
import { severityOf } from "../stats/incidents";
import { describeError } from "./errors";
import type { MessageFormat, NumberNames, OnMessage } from "./format";
import { DataFlashReader } from "./reader";

const ARMED = 10;
const EVENTS: ReadonlySet<number> = new Set([ARMED, 11]);
const HOME = 1;
/** MODE.Rsn → ERR.Subsys: rovers log no ERR of radio, battery and ground station. */
const FAILSAFE_REASONS: ReadonlyMap<number, number> = new Map([
  [3, 5],
  [4, 6],
  [5, 8],
  [6, 17],
  [10, 9],
]);
/** Milliseconds from 1970 to GPS week 0; GPS does not follow leap seconds, of which there have been 18 since. */
const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
const MICROSECONDS = 1e-6;

interface Wanted {
  /** The message is skipped in logs where one of these is missing or not a number. */
  readonly needs: readonly string[];
  readonly optional?: readonly string[];
  /** Several receivers and batteries log under one name; the first is the vehicle's own. */
  readonly firstOnly?: true;
  /** The numbers come in the order in which `needs` and `optional` name them; NaN for values that the log lacks. */
  readonly handle: (flight: FlightStatsBuilder, ...numbers: number[]) => void;
}

const TIME = "TimeUS";
/** Which of several sensors it was. */
const INSTANCE = "I|Instance|Inst";
const NO_FIELD = "";

/** The messages that the statistics need (ArduPilot's log message documentation names their fields). */
const WANTED: Readonly<Record<string, Wanted>> = {
  POS: {
    needs: ["Lat", "Lng", "Alt"],
    optional: ["RelHomeAlt"],
    handle: (flight, lat, lng, altitude, aboveHome) =>
      flight.position(ESTIMATOR, lat, lng, altitude, aboveHome),
  },
  GPS: {
    needs: ["Status", "Lat", "Lng", "Alt", "Spd", "NSats"],
    optional: ["VZ", "HDop", "GWk", "GMS"],
    firstOnly: true,
    handle: (flight, fix, lat, lng, altitude, speed, satellites, down, hdop, week, milliseconds) => {
      flight.gps(fix, satellites, hdop);
      if (fix < 3) return;
      flight.velocity(speed, -down);
      flight.position(RECEIVER, lat, lng, altitude);
      if (week > 0) flight.utc(GPS_EPOCH + week * WEEK + (milliseconds || 0));
    },
  },
  ORGN: {
    needs: ["Type", "Lat", "Lng", "Alt"],
    handle: (flight, type, lat, lng, altitude) => {
      if (type === HOME) flight.home(lat, lng, altitude);
    },
  },
  MODE: {
    needs: ["ModeNum"],
    optional: ["Rsn"],
    handle: (flight, mode, reason) => {
      flight.mode(mode);
      flight.failsafeMode(FAILSAFE_REASONS.get(reason), (subsystem) => describeError(subsystem, 1).text);
    },
  },
  BAT: {
    needs: ["Volt"],
    optional: ["CurrTot", "RemPct", "Curr"],
    firstOnly: true,
    handle: (flight, volts, usedMah, leftPercent, amps) => flight.battery(volts, usedMah, leftPercent, amps),
  },
  VIBE: {
    needs: ["VibeX", "VibeY", "VibeZ"],
    optional: ["IMU", "Clip|Clip0"],
    handle: (flight, x, y, z, sensor, clips) => flight.vibration(sensor, x, y, z, clips),
  },
  ERR: {
    needs: ["Subsys", "ECode"],
    handle: (flight, subsystem, code) => {
      const { severity, text } = describeError(subsystem, code);
      if (severity === "failsafe") flight.failsafe(code !== 0, text, subsystem);
      else if (code !== 0) flight.incident(severity, text);
    },
  },
};

/** Reads an ArduPilot DataFlash log. */
export function dataFlashFlight(during?: FlightTime): FlightReader {
  const flight = new FlightStatsBuilder(during);
  let logsDisarmed = false;
  const noteLogsDisarmed = (value: number) => {
    logsDisarmed = value > 0;
  };
  const messages = new DataFlashReader((format) => {
    if (format.name === "MSG") return texts(format, flight);
    if (format.name === "EV")
      return events(format, "Id", (at, id) => EVENTS.has(id) && flight.armedChanged(at, id === ARMED));
    if (format.name === "ARM")
      return events(format, "ArmState", (at, state) => flight.armedChanged(at, state === 1));
    if (format.name === "PARM") return parameter(format, flight, "LOG_DISARMED", noteLogsDisarmed);
    return numbers(format, flight);
  });
  return {
    format: "dataflash",
    messages,
    figures: () => {
      // Arming opens the log, and may be too early to be in it. A log that is open before has it.
      if (logsDisarmed) flight.probablyDisarmed();
      return flight.figures((mode) => nameOf(flight.vehicle, mode));
    },
  };
}

/** The fields of a format that the statistics need, after the time and the instance. Undefined when they need none. */
export function neededNumbers(format: MessageFormat): NumberNames | undefined {
  const want = Object.hasOwn(WANTED, format.name) ? WANTED[format.name] : undefined;
  if (!want || ![TIME, ...want.needs].every((name) => format.hasNumber(name))) return undefined;
  return {
    first: [TIME, want.firstOnly ? INSTANCE : NO_FIELD],
    rest: [...want.needs, ...(want.optional ?? [])],
  };
}

function isWanted(flight: FlightStatsBuilder, microseconds: number, instance: number): boolean {
  return flight.at(microseconds * MICROSECONDS) && !(instance > 0);
}

function numbers(format: MessageFormat, flight: FlightStatsBuilder): OnMessage | undefined {
  const needed = neededNumbers(format);
  const handle = needed && WANTED[format.name]?.handle;
  return handle && format.onNumbers(needed, { subject: flight, isWanted, take: handle });
}

function events(
  format: MessageFormat,
  field: string,
  take: (at: number, value: number) => void,
): OnMessage | undefined {
  const [time, value] = [format.number(TIME), format.number(field)];
  return time && value && ((view, at) => take(time(view, at) * MICROSECONDS, value(view, at)));
}

function parameter(
  format: MessageFormat,
  flight: FlightStatsBuilder,
  wanted: string,
  take: (value: number) => void,
): OnMessage | undefined {
  const [time, name, value] = [format.number(TIME), format.text("Name"), format.number("Value")];
  if (!time || !name || !value) return undefined;
  return (view, at) => {
    if (flight.at(time(view, at) * MICROSECONDS) && name(view, at) === wanted) take(value(view, at));
  };
}

function texts(format: MessageFormat, flight: FlightStatsBuilder): OnMessage | undefined {
  const message = format.text("Message");
  const time = format.number(TIME);
  if (!time || !message) return undefined;
  return (view, at) => {
    if (!flight.at(time(view, at) * MICROSECONDS)) return;
    const text = message(view, at);
    if (/^(Ardu\w+|Blimp|AntennaTracker) V\d/.test(text)) flight.vehicle ??= text;
    // A check that fails prevents arming.
    if (/^(Pre)?Arm: /.test(text)) flight.probablyDisarmed();
    const severity = severityOf(text);
    if (severity) flight.incident(severity, text);
    else flight.message("info", text);
  };
}

/** A log has the numbers of modes; their names depend on the kind of vehicle. */
function nameOf(vehicle: string | undefined, mode: number): string {
  if (vehicle !== undefined && !/^Ardu(Copter|Rover)/.test(vehicle)) return `MODE(${mode})`;
  const kind = vehicle?.startsWith("ArduRover") ? "rover" : "copter";
  return modeName({ autopilot: "ardupilot", kind }, mode);
}
