import { modeName } from "../../../../vehicle/mavlink/modes";
import type { FlightReader } from "../reader";
import { FlightTally } from "../tally/flight-tally";
import { severityOf } from "../tally/incidents";
import { errorInWords } from "./errors";
import type { MessageFormat } from "./format";
import { DataFlashReader, type OnMessage } from "./reader";

const ARMED = 10;
const DISARMED = 11;
const HOME = 1;
/** Milliseconds from 1970 to GPS week 0; GPS does not follow leap seconds, of which there have been 18 since. */
const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
const MICROSECONDS = 1e-6;

type Fields = Record<string, (buffer: Buffer, at: number) => number>;
type Handle = (tally: FlightTally, buffer: Buffer, at: number, fields: Fields) => void;

interface Wanted {
  /** The message is passed over in logs where one of these is missing or no number. */
  readonly needs: readonly string[];
  readonly optional?: readonly string[];
  readonly handle: Handle;
}

/** Several receivers, batteries and sensors log under one name; the first is the vehicle's own. */
const isFirst = ({ I, Instance, Inst }: Fields, buffer: Buffer, at: number): boolean =>
  ((I ?? Instance ?? Inst)?.(buffer, at) ?? 0) === 0;

const INSTANCE = ["I", "Instance", "Inst"];

/** The messages that the figures need (ArduPilot's log message documentation names their fields). */
const WANTED: Readonly<Record<string, Wanted>> = {
  POS: {
    needs: ["Lat", "Lng", "Alt"],
    optional: ["RelHomeAlt"],
    handle: (tally, buffer, at, { Lat, Lng, Alt, RelHomeAlt }) =>
      tally.position(2, Lat!(buffer, at), Lng!(buffer, at), Alt!(buffer, at), RelHomeAlt?.(buffer, at)),
  },
  GPS: {
    needs: ["Status", "Lat", "Lng", "Alt", "Spd", "NSats"],
    optional: ["VZ", "HDop", "GWk", "GMS", ...INSTANCE],
    handle: (tally, buffer, at, fields) => {
      if (!isFirst(fields, buffer, at)) return;
      const { Status, Lat, Lng, Alt, Spd, NSats, VZ, HDop, GWk, GMS } = fields;
      const fix = Status!(buffer, at);
      tally.gps(fix, NSats!(buffer, at), HDop?.(buffer, at));
      if (fix < 3) return;
      const down = VZ?.(buffer, at);
      tally.velocity(Spd!(buffer, at), down === undefined ? undefined : -down);
      tally.position(1, Lat!(buffer, at), Lng!(buffer, at), Alt!(buffer, at));
      const week = GWk?.(buffer, at) ?? 0;
      if (week > 0) tally.utc(GPS_EPOCH + week * WEEK + (GMS?.(buffer, at) ?? 0));
    },
  },
  ORGN: {
    needs: ["Type", "Lat", "Lng", "Alt"],
    handle: (tally, buffer, at, { Type, Lat, Lng, Alt }) => {
      if (Type!(buffer, at) === HOME) tally.home(Lat!(buffer, at), Lng!(buffer, at), Alt!(buffer, at));
    },
  },
  MODE: {
    needs: ["ModeNum"],
    handle: (tally, buffer, at, { ModeNum }) => tally.mode(ModeNum!(buffer, at)),
  },
  EV: {
    needs: ["Id"],
    handle: (tally, buffer, at, { Id }) => {
      const event = Id!(buffer, at);
      if (event === ARMED || event === DISARMED) tally.armedBecomes(event === ARMED);
    },
  },
  ARM: {
    needs: ["ArmState"],
    handle: (tally, buffer, at, { ArmState }) => tally.armedBecomes(ArmState!(buffer, at) === 1),
  },
  BAT: {
    needs: ["Volt"],
    optional: ["CurrTot", "RemPct", ...INSTANCE],
    handle: (tally, buffer, at, fields) => {
      if (!isFirst(fields, buffer, at)) return;
      tally.battery(fields.Volt!(buffer, at), fields.CurrTot?.(buffer, at), fields.RemPct?.(buffer, at));
    },
  },
  VIBE: {
    needs: ["VibeX", "VibeY", "VibeZ"],
    optional: ["IMU", "Clip", "Clip0"],
    handle: (tally, buffer, at, { VibeX, VibeY, VibeZ, IMU, Clip, Clip0 }) =>
      tally.vibration(
        IMU?.(buffer, at) ?? 0,
        VibeX!(buffer, at),
        VibeY!(buffer, at),
        VibeZ!(buffer, at),
        (Clip ?? Clip0)?.(buffer, at) ?? 0,
      ),
  },
  ERR: {
    needs: ["Subsys", "ECode"],
    handle: (tally, buffer, at, { Subsys, ECode }) => {
      const error = errorInWords(Subsys!(buffer, at), ECode!(buffer, at));
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

function wanted(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const want = Object.hasOwn(WANTED, format.name) ? WANTED[format.name] : undefined;
  const time = format.number("TimeUS");
  if (!want || !time) return undefined;
  const fields: Fields = {};
  for (const name of [...want.needs, ...(want.optional ?? [])]) {
    const read = format.number(name);
    if (read) fields[name] = read;
  }
  if (want.needs.some((name) => fields[name] === undefined)) return undefined;
  return (buffer, at) => {
    if (tally.at(time(buffer, at) * MICROSECONDS)) want.handle(tally, buffer, at, fields);
  };
}

function texts(format: MessageFormat, tally: FlightTally): OnMessage | undefined {
  const time = format.number("TimeUS");
  const message = format.text("Message");
  if (!time || !message) return undefined;
  return (buffer, at) => {
    if (!tally.at(time(buffer, at) * MICROSECONDS)) return;
    const text = message(buffer, at);
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
