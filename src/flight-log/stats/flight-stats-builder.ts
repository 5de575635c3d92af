import type { FlightMessage, FlightStats, FlightTime, FlightTrack, Incident } from "../result";
import { FlightTotals, type Home } from "./flight-totals";
import { flightTrack, trackOfStats } from "./flight-track";
import { Flights } from "./flights";
import { isPosition } from "./ground-track";
import { LogClock, MAX_BACKWARD_SECONDS } from "./log-clock";

/** Metres; nothing we fly gets there. */
const HIGHEST = 50_000;
/** Numbers of failsafes that a mode tells of, beside those of the states. */
const BY_MODE = 1_000;
const YEAR_2005 = Date.UTC(2005);
const YEAR_2100 = Date.UTC(2100);

/** The statistics without what the reader of the format counts. */
export interface FlightFigures
  extends Omit<FlightStats, "format" | "complete" | "messages" | "damaged_bytes"> {
  /** Whether the log has the flight's end. */
  readonly isOver: boolean;
  readonly wholeTrack: FlightTrack;
}

/** A mode that lasts for less was left with the record that follows. */
const MOMENT_SECONDS = 0.1;

/**
 * Builds the statistics of one of a log's flights, message by message, in the log's order. Call `at` first with the time
 * of every message that has one.
 *
 * unknown → armed ⇄ disarmed. While it is unknown whether the motors run, every message counts. When the log then says
 * that they did not run, these counts are dropped. When it says that they are stopped now, or never says anything, the
 * log began in flight.
 */
export class FlightStatsBuilder {
  private readonly time = new LogClock();
  private readonly flights: Flights;
  /** Of the flight; while the motors do not run, of the next one. */
  private totals = new FlightTotals();
  private armed: boolean | undefined;
  /** An event after a gap in the log, which is credible when the next message agrees with its time. */
  private doubtful: { readonly at: number; readonly armed: boolean } | undefined;
  private readonly failing = new Set<number>();
  private modeFailsafe: number | undefined;
  private homePosition: Home | undefined;
  private currentMode: number | undefined;
  /** Of the current mode, while it counts. */
  private inMode: { seconds: number } | undefined;
  private utcOffset = Number.NaN;
  vehicle: string | undefined;

  /** `during`: when the flight took place; without it, the statistics are of the last one that ended. */
  constructor(during?: FlightTime) {
    this.flights = new Flights(during);
  }

  /** Moves to a message's time, in seconds. False when that is not credible; then the message is not either. */
  at(seconds: number): boolean {
    const step = this.time.move(seconds);
    if (step === undefined) return false;
    if (this.doubtful) this.settle(this.doubtful, seconds);
    const { totals, armed, inMode } = this;
    if (armed === false) return true;
    totals.began ??= this.time.elapsed;
    if (inMode) inMode.seconds += step;
    return true;
  }

  /** An event, often the first message after a gap: the motors were started or stopped at this time, in seconds. */
  armedChanged(at: number, armed: boolean): void {
    if (this.at(at)) this.setArmed(armed, !armed);
    else this.doubtful = { at, armed };
  }

  private settle({ at, armed }: { at: number; armed: boolean }, seconds: number): void {
    this.doubtful = undefined;
    if (Math.abs(seconds - at) <= MAX_BACKWARD_SECONDS) this.setArmed(armed, !armed);
  }

  /** A state, which the log may repeat: whether the motors run. */
  armedIs(armed: boolean): void {
    this.setArmed(armed, armed);
  }

  /** A sign that the motors do not run, where the log has not said anything else. */
  probablyDisarmed(): void {
    if (this.armed === undefined) this.armedIs(false);
  }

  private setArmed(armed: boolean, before: boolean): void {
    if (armed === this.armed) return;
    const ran = this.armed ?? before;
    if (ran && !armed) this.endFlight(true);
    if (!ran && this.armed === undefined) this.nextFlight(this.totals);
    this.armed = armed;
    this.enterMode();
    if (armed) this.totals.began ??= this.time.elapsed;
  }

  private endFlight(isOver: boolean): void {
    const { totals } = this;
    totals.ended = this.time.elapsed;
    totals.isOver = isOver;
    totals.endOffset = this.utcOffset;
    if (Number.isNaN(totals.beginOffset)) totals.beginOffset = this.utcOffset;
    this.flights.add(totals);
    this.nextFlight();
  }

  /** `dropped`: what was counted and was no flight. */
  private nextFlight(dropped?: FlightTotals): void {
    this.totals = new FlightTotals();
    this.totals.home = this.homePosition;
    if (!dropped) return;
    this.totals.incidents.addAll(dropped.incidents);
    this.totals.messages.addAll(dropped.messages, true);
  }

  home(lat: number, lng: number, altitude: number): void {
    if (isPosition(lat, lng)) this.homePosition = this.totals.home = { lat, lng, altitude };
  }

  /** The autopilot's number for it. */
  mode(number: number): void {
    if (number === this.currentMode) return;
    // A flight begins in the mode that the log had last, until a record at its arming says the mode that it is in.
    const { inMode, totals } = this;
    if (inMode && inMode.seconds < MOMENT_SECONDS && totals.modes.size === 1) {
      totals.modes.clear();
      totals.modeChanges = [];
    }
    this.currentMode = number;
    this.enterMode();
  }

  private enterMode(): void {
    const { currentMode: mode, armed, totals } = this;
    if (mode === undefined || armed === false) return;
    totals.modeEntered(this.time.elapsed, mode);
    this.inMode = totals.modes.get(mode);
    // A damaged log must not fill the memory with modes.
    if (this.inMode || totals.modes.size >= 64) return;
    this.inMode = { seconds: 0 };
    totals.modes.set(mode, this.inMode);
  }

  /**
   * Degrees; metres above sea level, and above home where the log tells. `source`: an estimator's positions replace a
   * receiver's. Values that the log lacks are NaN, here and below.
   */
  position(source: number, lat: number, lng: number, altitude: number, aboveHome = Number.NaN): void {
    const { totals } = this;
    if (!isPosition(lat, lng) || source < totals.source || this.armed === false) return;
    if (source > totals.source) totals.restartTrack(source);
    if (Number.isNaN(totals.groundAltitude)) totals.groundAltitude = altitude;
    const { home } = totals;
    const ground = home ? home.altitude : totals.groundAltitude;
    const height = Number.isNaN(aboveHome) ? altitude - ground : aboveHome;
    const known = Math.abs(height) < HIGHEST ? height : Number.NaN;
    if (totals.track.add(lat, lng, this.time.elapsed, known, home))
      totals.samples.position(this.time.elapsed, lat, lng, known);
  }

  /** Metres per second over ground, and upwards. */
  velocity(ground: number, up = Number.NaN): void {
    if (this.armed !== false) this.totals.velocity(ground, up);
  }

  battery(volts: number, usedMah = Number.NaN, leftPercent = Number.NaN, amps = Number.NaN): void {
    if (this.armed !== false) this.totals.battery(volts, usedMah, leftPercent, amps);
  }

  gps(fix: number, satellites: number, hdop = Number.NaN): void {
    if (this.armed !== false) this.totals.gps(fix, satellites, hdop);
  }

  /** Metres per second squared; `clips` counts from power-on. */
  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    if (this.armed !== false) this.totals.vibration(sensor, x, y, z, clips);
  }

  incident(severity: Incident["severity"], text: string): void {
    this.totals.incidents.add(this.time.elapsed, severity, text);
    this.message(severity, text);
  }

  /** What the vehicle wrote, when nothing is wrong. */
  message(severity: FlightMessage["severity"], text: string): void {
    const { messages, began } = this.totals;
    messages.add(this.time.elapsed, severity, text, began === undefined);
  }

  /** A state, which the log may repeat: whether a failsafe, one of several by its number, is active. */
  failsafe(active: boolean, text: string, number = 0): void {
    const wasActive = this.failing.has(number);
    if (active === wasActive) return;
    if (!active) {
      this.failing.delete(number);
      return;
    }
    this.failing.add(number);
    this.incident("failsafe", text);
    if (this.armed !== false) this.totals.failsafes++;
  }

  /** A mode was entered because of a failsafe, by its number, or for another reason. One that is active is not counted again. */
  failsafeMode(number: number | undefined, textOf: (number: number) => string): void {
    if (number === this.modeFailsafe) return;
    if (this.modeFailsafe !== undefined) this.failsafe(false, "", BY_MODE + this.modeFailsafe);
    this.modeFailsafe = number;
    if (number !== undefined && !this.failing.has(number))
      this.failsafe(true, textOf(number), BY_MODE + number);
  }

  /** The wall clock at the current message, in milliseconds since 1970. */
  utc(milliseconds: number): void {
    // Before its first fix a receiver reports the day it was made.
    if (!(milliseconds > YEAR_2005 && milliseconds < YEAR_2100)) return;
    this.utcOffset = milliseconds - this.time.elapsed * 1000;
    const { totals } = this;
    if (totals.began !== undefined && Number.isNaN(totals.beginOffset)) totals.beginOffset = this.utcOffset;
  }

  /** Once the whole log was read. `modeName` puts an autopilot's number into words. */
  figures(modeName: (mode: number) => string): FlightFigures {
    const { flights, time } = this;
    if (this.armed !== false && this.totals.began !== undefined) this.endFlight(false);
    const chosen = flights.choose();
    const flight = chosen?.flight ?? this.totals;
    // Incidents after the log's last flight count for that flight.
    if (flight === flights.last) {
      flight.incidents.addAll(this.totals.incidents);
      flight.messages.addAll(this.totals.messages, false);
    }
    const { track, speed, climb, home, began = 0, beginOffset } = flight;
    const duration = Math.max(0, flight.ended - began);
    return {
      isOver: flight.isOver,
      flight_number: chosen?.number ?? 0,
      flight_count: flights.count,
      flight_chosen_by: chosen?.by ?? "order",
      vehicle: this.vehicle ?? null,
      started_at: Number.isNaN(beginOffset) ? null : new Date(beginOffset + began * 1000).toISOString(),
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
      home: home ? { lat: home.lat, lng: home.lng } : null,
      battery: flight.batteryStats,
      modes: [...flight.modes].map(([mode, { seconds }]) => ({ name: modeName(mode), seconds })),
      gps: flight.gpsStats,
      vibration: flight.vibrationStats,
      failsafes: flight.failsafes,
      incidents: flight.incidents.list(began),
      ...trackOfStats(flight),
      wholeTrack: flightTrack(flight, began, modeName),
    };
  }
}
