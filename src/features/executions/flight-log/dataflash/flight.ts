import { modeName } from "../../../../vehicle/mavlink/modes";
import type { FlightReader } from "../reader";
import { FlightTally } from "../tally/flight-tally";
import { severityOf } from "../tally/incidents";
import { errorInWords } from "./errors";
import type { MessageFormat, NumberReader } from "./format";
import { DataFlashReader, type OnMessage } from "./reader";

const ARMED = 10;
const DISARMED = 11;
const HOME = 1;
/** Milliseconds from 1970 to GPS week 0; GPS does not follow leap seconds, of which there have been 18 since. */
const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
const MICROSECONDS = 1e-6;

/**
 * A message's numbers in the order in which `needs` and `optional` name them; NaN where the log has none. Taken by
 * their places: to go through them one after the other costs several times as much.
 */
type Numbers = readonly [number, number, number, number, number, number, number, number, number, number];

interface Wanted {
  /** The message is passed over in logs where one of these is missing or no number. */
  readonly needs: readonly string[];
  readonly optional?: readonly string[];
  /** Several receivers and batteries log under one name; the first is the vehicle's own. */
  readonly firstOnly?: true;
  readonly handle: (tally: FlightTally, numbers: Numbers) => void;
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
    handle: (tally, { 0: lat, 1: lng, 2: altitude, 3: aboveHome }) =>
      tally.position(2, lat, lng, altitude, aboveHome),
  },
  GPS: {
    needs: ["Status", "Lat", "Lng", "Alt", "Spd", "NSats"],
    optional: ["VZ", "HDop", "GWk", "GMS"],
    firstOnly: true,
    handle: (
      tally,
      {
        0: fix,
        1: lat,
        2: lng,
        3: altitude,
        4: speed,
        5: satellites,
        6: down,
        7: hdop,
        8: week,
        9: milliseconds,
      },
    ) => {
      tally.gps(fix, satellites, hdop);
      if (fix < 3) return;
      tally.velocity(speed, -down);
      tally.position(1, lat, lng, altitude);
      if (week > 0) tally.utc(GPS_EPOCH + week * WEEK + (milliseconds || 0));
    },
  },
  ORGN: {
    needs: ["Type", "Lat", "Lng", "Alt"],
    handle: (tally, { 0: type, 1: lat, 2: lng, 3: altitude }) => {
      if (type === HOME) tally.home(lat, lng, altitude);
    },
  },
  MODE: {
    needs: ["ModeNum"],
    handle: (tally, { 0: mode }) => tally.mode(mode),
  },
  EV: {
    needs: ["Id"],
    handle: (tally, { 0: event }) => {
      if (event === ARMED || event === DISARMED) tally.armedBecomes(event === ARMED);
    },
  },
  ARM: {
    needs: ["ArmState"],
    handle: (tally, { 0: state }) => tally.armedBecomes(state === 1),
  },
  BAT: {
    needs: ["Volt"],
    optional: ["CurrTot", "RemPct"],
    firstOnly: true,
    handle: (tally, { 0: volts, 1: usedMah, 2: leftPercent }) => tally.battery(volts, usedMah, leftPercent),
  },
  VIBE: {
    needs: ["VibeX", "VibeY", "VibeZ"],
    optional: ["IMU", "Clip|Clip0"],
    handle: (tally, { 0: x, 1: y, 2: z, 3: sensor, 4: clips }) => tally.vibration(sensor, x, y, z, clips),
  },
  ERR: {
    needs: ["Subsys", "ECode"],
    handle: (tally, { 0: subsystem, 1: code }) => {
      const error = errorInWords(subsystem, code);
      if (error) tally.incident(error.severity, error.text);
    },
  },
};

/** Reads an ArduPilot DataFlash log. */
export function dataFlashFlight(): FlightReader {
  const tally = new FlightTally();
  const messages = new DataFlashReader((format) =>
    format.name === "MSG" ? texts(format, tally) : wanted(format, tally),
  );
  return { format: "dataflash", messages, tell: () => tally.stats((mode) => nameOf(tally.vehicle, mode)) };
}

/** Of a format's messages: the time, which instance, and what the figures need; undefined when that is nothing. */
export function neededNumbers(format: MessageFormat): NumberReader | undefined {
  const want = Object.hasOwn(WANTED, format.name) ? WANTED[format.name] : undefined;
  if (!want || ![TIME, ...want.needs].every((name) => format.hasNumber(name))) return undefined;
  const instance = want.firstOnly ? INSTANCE : NO_FIELD;
  return format.numbers([TIME, instance, ...want.needs, ...(want.optional ?? [])]);
}

function wanted(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const message = neededNumbers(format);
  const handle = message && WANTED[format.name]?.handle;
  if (!handle) return undefined;
  const { values } = message;
  const numbers = values.subarray(2) as unknown as Numbers;
  return (view, at) => {
    message.read(view, at);
    if (tally.at((values[0] as number) * MICROSECONDS) && !((values[1] as number) > 0))
      handle(tally, numbers);
  };
}

function texts(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const message = format.text("Message");
  if (!format.hasNumber(TIME) || !message) return undefined;
  const time = format.numbers([TIME]);
  return (view, at) => {
    if (!tally.at((time.read(view, at)[0] as number) * MICROSECONDS)) return;
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
