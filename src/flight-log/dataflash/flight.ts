import { modeName } from "../../vehicle/mavlink/modes";
import type { FlightReader } from "../reader";
import { FlightTally } from "../tally/flight-tally";
import { severityOf } from "../tally/incidents";
import { errorInWords } from "./errors";
import type { MessageFormat, NumberNames, OnMessage } from "./format";
import { DataFlashReader } from "./reader";

const ARMED = 10;
const DISARMED = 11;
const HOME = 1;
/** Milliseconds from 1970 to GPS week 0; GPS does not follow leap seconds, of which there have been 18 since. */
const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
const MICROSECONDS = 1e-6;

interface Wanted {
  /** The message is passed over in logs where one of these is missing or no number. */
  readonly needs: readonly string[];
  readonly optional?: readonly string[];
  /** Several receivers and batteries log under one name; the first is the vehicle's own. */
  readonly firstOnly?: true;
  /** The numbers come in the order in which `needs` and `optional` name them; NaN is what the log does not tell. */
  readonly handle: (tally: FlightTally, ...numbers: number[]) => void;
}

const TIME = "TimeUS";
/** Which of several sensors it was. */
const INSTANCE = "I|Instance|Inst";
const NO_FIELD = "";

/** The messages that the figures need (ArduPilot's log message documentation names their fields). */
const WANTED: Readonly<Record<string, Wanted>> = {
  POS: {
    needs: ["Lat", "Lng", "Alt"],
    optional: ["RelHomeAlt"],
    handle: (tally, lat, lng, altitude, aboveHome) => tally.position(2, lat, lng, altitude, aboveHome),
  },
  GPS: {
    needs: ["Status", "Lat", "Lng", "Alt", "Spd", "NSats"],
    optional: ["VZ", "HDop", "GWk", "GMS"],
    firstOnly: true,
    handle: (tally, fix, lat, lng, altitude, speed, satellites, down, hdop, week, milliseconds) => {
      tally.gps(fix, satellites, hdop);
      if (fix < 3) return;
      tally.velocity(speed, -down);
      tally.position(1, lat, lng, altitude);
      if (week > 0) tally.utc(GPS_EPOCH + week * WEEK + (milliseconds || 0));
    },
  },
  ORGN: {
    needs: ["Type", "Lat", "Lng", "Alt"],
    handle: (tally, type, lat, lng, altitude) => {
      if (type === HOME) tally.home(lat, lng, altitude);
    },
  },
  MODE: {
    needs: ["ModeNum"],
    handle: (tally, mode) => tally.mode(mode),
  },
  EV: {
    needs: ["Id"],
    handle: (tally, event) => {
      if (event === ARMED || event === DISARMED) tally.armedBecomes(event === ARMED);
    },
  },
  ARM: {
    needs: ["ArmState"],
    handle: (tally, state) => tally.armedBecomes(state === 1),
  },
  BAT: {
    needs: ["Volt"],
    optional: ["CurrTot", "RemPct"],
    firstOnly: true,
    handle: (tally, volts, usedMah, leftPercent) => tally.battery(volts, usedMah, leftPercent),
  },
  VIBE: {
    needs: ["VibeX", "VibeY", "VibeZ"],
    optional: ["IMU", "Clip|Clip0"],
    handle: (tally, x, y, z, sensor, clips) => tally.vibration(sensor, x, y, z, clips),
  },
  ERR: {
    needs: ["Subsys", "ECode"],
    handle: (tally, subsystem, code) => {
      const error = errorInWords(subsystem, code);
      if (error) tally.incident(error.severity, error.text);
    },
  },
};

/** Reads an ArduPilot DataFlash log. */
export function dataFlashFlight(): FlightReader {
  const tally = new FlightTally();
  const messages = new DataFlashReader((format) =>
    format.name === "MSG" ? texts(format, tally) : numbers(format, tally),
  );
  return { format: "dataflash", messages, tell: () => tally.stats((mode) => nameOf(tally.vehicle, mode)) };
}

/** What the figures need of a format's messages, behind the time and which instance it is; undefined when nothing. */
export function neededNumbers(format: MessageFormat): NumberNames | undefined {
  const want = Object.hasOwn(WANTED, format.name) ? WANTED[format.name] : undefined;
  if (!want || ![TIME, ...want.needs].every((name) => format.hasNumber(name))) return undefined;
  return {
    first: [TIME, want.firstOnly ? INSTANCE : NO_FIELD],
    rest: [...want.needs, ...(want.optional ?? [])],
  };
}

function isWanted(tally: FlightTally, microseconds: number, instance: number): boolean {
  return tally.at(microseconds * MICROSECONDS) && !(instance > 0);
}

function numbers(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const needed = neededNumbers(format);
  const handle = needed && WANTED[format.name]?.handle;
  return handle && format.onNumbers(needed, { subject: tally, isWanted, take: handle });
}

function texts(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const message = format.text("Message");
  const time = format.number(TIME);
  if (!time || !message) return undefined;
  return (view, at) => {
    if (!tally.at(time(view, at) * MICROSECONDS)) return;
    const text = message(view, at);
    if (/^(Ardu\w+|Blimp|AntennaTracker) V\d/.test(text)) tally.vehicle ??= text;
    const severity = severityOf(text);
    if (severity) tally.incident(severity, text);
  };
}

/** The log names its modes by number; what they are called depends on what kind of vehicle wrote it. */
function nameOf(vehicle: string | undefined, mode: number): string {
  if (vehicle !== undefined && !/^Ardu(Copter|Rover)/.test(vehicle)) return `MODE(${mode})`;
  const kind = vehicle?.startsWith("ArduRover") ? "rover" : "copter";
  return modeName({ autopilot: "ardupilot", kind }, mode);
}
