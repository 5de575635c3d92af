import type { LatLng } from "../../domain/geo";
import type { FlightStats, Incident } from "../result";
import { FlightTotals } from "./flight-totals";
import { isPosition } from "./ground-track";
import { Incidents } from "./incidents";
import { LogClock } from "./log-clock";

/** Metres; nothing we fly gets there. */
const HIGHEST = 50_000;
const YEAR_2005 = Date.UTC(2005);
const YEAR_2100 = Date.UTC(2100);

interface Home extends LatLng {
  /** Metres above mean sea level. */
  readonly altitude: number;
}

/** The statistics without what the reader of the format counts. */
export type FlightFigures = Omit<FlightStats, "format" | "complete" | "messages" | "damaged_bytes">;

/**
 * Builds a flight's statistics from a log, message by message, in the log's order. Call `at` first with the time of
 * every message that has one.
 *
 * unknown → armed ⇄ disarmed. While it is unknown whether the motors run, every message counts. When the log then says
 * that they did not run, what was counted is dropped.
 */
export class FlightStatsBuilder {
  private readonly time = new LogClock();
  private readonly incidents = new Incidents();
  private totals = new FlightTotals();
  private armed: boolean | undefined;
  private rank = 0;
  private homePosition: Home | undefined;
  private groundAltitude = Number.NaN;
  private currentMode: number | undefined;
  /** Of the current mode, while it counts. */
  private inMode: { seconds: number } | undefined;
  private utcOffset = Number.NaN;
  vehicle: string | undefined;

  /** Moves to a message's time, in seconds. False when that is not credible; then the message is not either. */
  at(seconds: number): boolean {
    const step = this.time.move(seconds);
    if (step === undefined) return false;
    const { totals, armed, inMode } = this;
    if (armed === false) return true;
    totals.began ??= this.time.elapsed;
    if (armed) totals.armedSeconds += step;
    if (inMode) inMode.seconds += step;
    return true;
  }

  /** An event: the motors were started or stopped now. */
  armedChanged(armed: boolean): void {
    this.setArmed(armed, !armed);
  }

  /** A state, which the log may repeat: whether the motors run. */
  armedIs(armed: boolean): void {
    this.setArmed(armed, armed);
  }

  private setArmed(armed: boolean, before: boolean): void {
    if (armed === this.armed) return;
    if (this.armed === undefined && !before) {
      this.totals = new FlightTotals();
      this.rank = 0;
    }
    this.armed = armed;
    this.enterMode();
    if (armed) this.totals.began ??= this.time.elapsed;
  }

  home(lat: number, lng: number, altitude: number): void {
    if (isPosition(lat, lng)) this.homePosition = { lat, lng, altitude };
  }

  /** The autopilot's number for it. */
  mode(number: number): void {
    if (number === this.currentMode) return;
    this.currentMode = number;
    this.enterMode();
  }

  private enterMode(): void {
    const { currentMode: mode, armed, totals } = this;
    if (mode === undefined || armed === false) return;
    this.inMode = totals.modes.get(mode);
    // A damaged log must not fill the memory with modes.
    if (this.inMode || totals.modes.size >= 64) return;
    this.inMode = { seconds: 0 };
    totals.modes.set(mode, this.inMode);
  }

  /**
   * Degrees; metres above sea level, and above home where the log tells. `rank`: an estimator's positions (2)
   * replace a receiver's (1). Values that the log lacks are NaN, here and below.
   */
  position(rank: number, lat: number, lng: number, altitude: number, aboveHome = Number.NaN): void {
    if (!isPosition(lat, lng) || rank < this.rank || this.armed === false) return;
    const { totals, homePosition } = this;
    if (rank > this.rank) {
      totals.restartTrack();
      this.groundAltitude = Number.NaN;
    }
    this.rank = rank;
    if (Number.isNaN(this.groundAltitude)) this.groundAltitude = altitude;
    const ground = homePosition ? homePosition.altitude : this.groundAltitude;
    const height = Number.isNaN(aboveHome) ? altitude - ground : aboveHome;
    const known = Math.abs(height) < HIGHEST ? height : Number.NaN;
    if (totals.track.add(lat, lng, this.time.elapsed, known, homePosition)) totals.noteSeries(known);
  }

  /** Metres per second over ground, and upwards. */
  velocity(ground: number, up = Number.NaN): void {
    if (this.armed !== false) this.totals.velocity(ground, up);
  }

  battery(volts: number, usedMah = Number.NaN, leftPercent = Number.NaN): void {
    if (this.armed !== false) this.totals.battery(volts, usedMah, leftPercent);
  }

  gps(fix: number, satellites: number, hdop = Number.NaN): void {
    if (this.armed !== false) this.totals.gps(fix, satellites, hdop);
  }

  /** Metres per second squared; `clips` counts from power-on. */
  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    if (this.armed !== false) this.totals.vibration(sensor, x, y, z, clips);
  }

  incident(severity: Incident["severity"], text: string): void {
    this.incidents.add(this.time.elapsed, severity, text);
  }

  /** The wall clock at the current message, in milliseconds since 1970. */
  utc(milliseconds: number): void {
    // Before its first fix a receiver reports the day it was made.
    if (Number.isNaN(this.utcOffset) && milliseconds > YEAR_2005 && milliseconds < YEAR_2100)
      this.utcOffset = milliseconds - this.time.elapsed * 1000;
  }

  /** `modeName` puts an autopilot's number into words. */
  stats(modeName: (mode: number) => string): FlightFigures {
    const { totals, homePosition, utcOffset, time } = this;
    const { track, speed, climb } = totals;
    const began = totals.began ?? 0;
    const spanned = track.latest - track.begun || 0;
    const duration = this.armed === undefined ? spanned : totals.armedSeconds;
    return {
      vehicle: this.vehicle ?? null,
      started_at: Number.isNaN(utcOffset) ? null : new Date(utcOffset + began * 1000).toISOString(),
      log_seconds: time.elapsed,
      duration_seconds: duration,
      distance_m: track.distance,
      max_speed_ms: speed.max,
      mean_speed_ms: duration > 0 ? track.distance / duration : 0,
      max_altitude_m: track.altitude.max,
      min_altitude_m: track.altitude.min,
      max_climb_ms: climb.max === null ? null : Math.max(0, climb.max),
      max_descent_ms: climb.min === null ? null : Math.max(0, -climb.min),
      max_distance_from_home_m: track.greatestDistance,
      home: homePosition ? { lat: homePosition.lat, lng: homePosition.lng } : null,
      battery: totals.batteryStats,
      modes: [...totals.modes].map(([mode, { seconds }]) => ({ name: modeName(mode), seconds })),
      gps: totals.gpsStats,
      vibration: totals.vibrationStats,
      incidents: this.incidents.list(began),
      track: track.points,
      series: totals.seriesPoints,
    };
  }
}
