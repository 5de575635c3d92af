import type { Place } from "./scale";

/** What a report shows of a flight. Metres, seconds, metres per second; altitudes are above home. */
export interface FlightSummary {
  readonly durationSeconds: number;
  readonly distance: number;
  readonly maxSpeed: number;
  readonly meanSpeed: number;
  readonly maxAltitude: number;
  readonly maxClimb: number | null;
  readonly maxDescent: number | null;
  readonly maxDistanceFromHome: number | null;
  readonly batteryUsed: string | null;
  readonly minVoltage: number | null;
  readonly modes: readonly { readonly name: string; readonly seconds: number }[];
  /** Errors and failsafes, in words. */
  readonly incidents: readonly string[];
  readonly track: readonly Place[];
  readonly series: readonly Moment[];
}

/** Seconds since the log's first position. */
export interface Moment {
  readonly seconds: number;
  readonly altitude: number;
  readonly speed: number;
}
