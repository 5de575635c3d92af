import type { FlightStats, Incident, Place } from "../result";
import { Flown } from "./flown";
import { Incidents } from "./incidents";
import { LogTime } from "./log-time";
import { isPlace } from "./path";

/** Metres; nothing we fly gets there. */
const HIGHEST = 50_000;
const YEAR_2005 = Date.UTC(2005);
const YEAR_2100 = Date.UTC(2100);

interface Home extends Place {
  /** Metres above mean sea level. */
  readonly altitude: number;
}

/** What the reader of one format adds to the figures. */
export type Telling = Omit<FlightStats, "format" | "complete" | "messages" | "damaged_bytes">;

/**
 * Counts a flight together from what a log says, message by message, in the log's order. Every message that
 * carries a time goes through `at` first.
 *
 * unknown → armed ⇄ disarmed. While it is unknown whether the motors run, all counts; when it turns out that
 * they did not, that is thrown away.
 */
export class FlightTally {
  private readonly time = new LogTime();
  private readonly incidents = new Incidents();
  private flown = new Flown();
  private armed: boolean | undefined;
  private rank = 0;
  private homePlace: Home | undefined;
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
    const { flown, armed, inMode } = this;
    if (armed === false) return true;
    flown.began ??= this.time.elapsed;
    if (armed) flown.armedSeconds += step;
    if (inMode) inMode.seconds += step;
    return true;
  }

  /** The motors were started, or stopped, just now. */
  armedBecomes(armed: boolean): void {
    this.setArmed(armed, !armed);
  }

  /** The motors run, or do not, and the log may say so again and again. */
  armedIs(armed: boolean): void {
    this.setArmed(armed, armed);
  }

  private setArmed(armed: boolean, before: boolean): void {
    if (armed === this.armed) return;
    if (this.armed === undefined && !before) {
      this.flown = new Flown();
      this.rank = 0;
    }
    this.armed = armed;
    this.enterMode();
    if (armed) this.flown.began ??= this.time.elapsed;
  }

  home(lat: number, lng: number, altitude: number): void {
    if (isPlace(lat, lng)) this.homePlace = { lat, lng, altitude };
  }

  /** The autopilot's number for it. */
  mode(number: number): void {
    if (number === this.currentMode) return;
    this.currentMode = number;
    this.enterMode();
  }

  private enterMode(): void {
    const { currentMode: mode, armed, flown } = this;
    if (mode === undefined || armed === false) return;
    this.inMode = flown.modes.get(mode);
    // A damaged log must not make up modes without end.
    if (this.inMode || flown.modes.size >= 64) return;
    this.inMode = { seconds: 0 };
    flown.modes.set(mode, this.inMode);
  }

  /**
   * Degrees; metres above sea level, and above home where the log tells. `rank`: an estimator's positions (2)
   * replace a receiver's (1). What a log does not tell is not a number, here and in what follows.
   */
  position(rank: number, lat: number, lng: number, altitude: number, aboveHome = Number.NaN): void {
    if (!isPlace(lat, lng) || rank < this.rank || this.armed === false) return;
    const { flown, homePlace } = this;
    if (rank > this.rank) {
      flown.restartPath();
      this.groundAltitude = Number.NaN;
    }
    this.rank = rank;
    if (Number.isNaN(this.groundAltitude)) this.groundAltitude = altitude;
    const ground = homePlace ? homePlace.altitude : this.groundAltitude;
    const height = Number.isNaN(aboveHome) ? altitude - ground : aboveHome;
    const known = Math.abs(height) < HIGHEST ? height : Number.NaN;
    if (flown.path.add(lat, lng, this.time.elapsed, known, homePlace)) flown.noteSeries(known);
  }

  /** Metres per second over ground, and upwards. */
  velocity(ground: number, up = Number.NaN): void {
    if (this.armed !== false) this.flown.velocity(ground, up);
  }

  battery(volts: number, usedMah = Number.NaN, leftPercent = Number.NaN): void {
    if (this.armed !== false) this.flown.battery(volts, usedMah, leftPercent);
  }

  gps(fix: number, satellites: number, hdop = Number.NaN): void {
    if (this.armed !== false) this.flown.gps(fix, satellites, hdop);
  }

  /** Metres per second squared; `clips` counts from power-on. */
  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    if (this.armed !== false) this.flown.vibration(sensor, x, y, z, clips);
  }

  incident(severity: Incident["severity"], text: string): void {
    this.incidents.add(this.time.elapsed, severity, text);
  }

  /** The wall clock at the current message, in milliseconds since 1970. */
  utc(milliseconds: number): void {
    // Before its first fix a receiver tells the day it was made.
    if (Number.isNaN(this.utcOffset) && milliseconds > YEAR_2005 && milliseconds < YEAR_2100)
      this.utcOffset = milliseconds - this.time.elapsed * 1000;
  }

  /** `modeName` puts an autopilot's number into words. */
  stats(modeName: (mode: number) => string): Telling {
    const { flown, homePlace, utcOffset, time } = this;
    const { path, speed, climb } = flown;
    const began = flown.began ?? 0;
    const spanned = path.latest - path.begun || 0;
    const duration = this.armed === undefined ? spanned : flown.armedSeconds;
    return {
      vehicle: this.vehicle ?? null,
      started_at: Number.isNaN(utcOffset) ? null : new Date(utcOffset + began * 1000).toISOString(),
      log_seconds: time.elapsed,
      duration_seconds: duration,
      distance_m: path.distance,
      max_speed_ms: speed.max,
      mean_speed_ms: duration > 0 ? path.distance / duration : 0,
      max_altitude_m: path.altitude.max,
      min_altitude_m: path.altitude.min,
      max_climb_ms: climb.max === null ? null : Math.max(0, climb.max),
      max_descent_ms: climb.min === null ? null : Math.max(0, -climb.min),
      max_distance_from_home_m: path.greatestDistance,
      home: homePlace ? { lat: homePlace.lat, lng: homePlace.lng } : null,
      battery: flown.batteryStats,
      modes: [...flown.modes].map(([mode, { seconds }]) => ({ name: modeName(mode), seconds })),
      gps: flown.gpsStats,
      vibration: flown.vibrationStats,
      incidents: this.incidents.list(began),
      track: path.points,
      series: flown.seriesPoints,
    };
  }
}
