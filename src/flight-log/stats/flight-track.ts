import type { FlightStats, FlightTrack } from "../result";
import type { FlightTotals } from "./flight-totals";
import { orNull } from "./running-stats";
import { forStats, type Sample } from "./samples";

/** The whole track of a flight that began at this log time, rounded to what instruments measure. */
export function flightTrack(
  { samples, modeChanges, messages }: FlightTotals,
  began: number,
  modeName: (mode: number) => string,
): FlightTrack {
  const { all } = samples;
  const column = (of: keyof Sample, digits: number) =>
    all.map((sample) => orNull(rounded(sample[of], digits)));
  return {
    seconds: all.map(({ at }) => rounded(at - began, 3)),
    lat: all.map(({ lat }) => rounded(lat, 7)),
    lng: all.map(({ lng }) => rounded(lng, 7)),
    altitude_m: column("height", 2),
    speed_ms: column("speed", 2),
    climb_ms: column("climb", 2),
    battery_v: column("volts", 2),
    battery_percent: column("percent", 1),
    battery_a: column("amps", 2),
    satellites: column("satellites", 0),
    vibration_ms2: column("vibration", 2),
    modes: modeChanges.map(({ at, mode }) => ({
      seconds: rounded(Math.max(0, at - began), 3),
      name: modeName(mode),
    })),
    messages: messages.list(began),
  };
}

/** Without a minus before a zero. */
const rounded = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits + 0;

/** The part of it that the statistics have. */
export function trackOfStats({ samples }: FlightTotals): Pick<FlightStats, "track" | "series"> {
  const some = forStats(samples.all);
  const began = some[0]?.at ?? 0;
  return {
    track: some.map(({ at, lat, lng, height }) => ({
      seconds: at - began,
      lat,
      lng,
      altitude_m: orNull(height),
    })),
    series: some.map(({ at, height, speed, volts }) => ({
      seconds: at - began,
      altitude_m: orNull(height),
      speed_ms: orNull(speed),
      battery_v: orNull(volts),
    })),
  };
}
