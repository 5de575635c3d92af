import type { LatLng } from "../../../domain/geo";
import type { FlightStats } from "../../../flight-log";
import { clock } from "./scale";

/** The figures of a flight in a report. Metres, seconds, metres per second; altitudes are above home. */
export interface FlightSummary {
  readonly durationSeconds: number;
  readonly distance: number;
  readonly maxSpeed: number | null;
  readonly meanSpeed: number;
  readonly maxAltitude: number | null;
  readonly maxClimb: number | null;
  readonly maxDescent: number | null;
  readonly maxDistanceFromHome: number | null;
  readonly batteryUsed: string | null;
  readonly minVoltage: number | null;
  readonly modes: readonly { readonly name: string; readonly seconds: number }[];
  /** Errors and failsafes, in words. */
  readonly incidents: readonly string[];
  readonly track: readonly LatLng[];
  readonly series: readonly FlightSample[];
}

export interface FlightSample {
  /** Since the flight's first position. */
  readonly seconds: number;
  readonly altitude: number | null;
  readonly speed: number | null;
}

export function summaryOf(stats: FlightStats): FlightSummary {
  const { battery } = stats;
  return {
    durationSeconds: stats.duration_seconds,
    distance: stats.distance_m,
    maxSpeed: stats.max_speed_ms,
    meanSpeed: stats.mean_speed_ms,
    maxAltitude: stats.max_altitude_m,
    maxClimb: stats.max_climb_ms,
    maxDescent: stats.max_descent_ms,
    maxDistanceFromHome: stats.max_distance_from_home_m,
    batteryUsed: battery && used(battery.used_percent, battery.used_mah),
    minVoltage: battery?.min_voltage_v ?? null,
    modes: stats.modes,
    incidents: [
      ...(stats.complete ? [] : ["The log is damaged; the figures cover the part that could be read."]),
      ...stats.incidents.map(inWords),
    ],
    track: stats.track,
    series: stats.series.map(({ seconds, altitude_m, speed_ms }) => ({
      seconds,
      altitude: altitude_m,
      speed: speed_ms,
    })),
  };
}

function used(percent: number | null, mah: number | null): string | null {
  if (percent !== null) return `${Math.round(percent)} %`;
  return mah === null ? null : `${Math.round(mah)} mAh`;
}

const inWords = ({ seconds, text, count }: FlightStats["incidents"][number]): string =>
  `${seconds < 0 ? "Before the flight" : clock(seconds)}: ${text}${count > 1 ? ` (${count} times)` : ""}`;
