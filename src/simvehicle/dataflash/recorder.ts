import { type GlobalPosition, toHeading } from "../geo";
import { groundSpeed } from "../kinematics";
import { FlightRecorder } from "../logging/flight-recorder";
import { Rates } from "../logging/rates";
import type { Severity } from "../reports";
import { remaining } from "../safety/battery";
import { LogFile } from "./log-file";

/** LogEvent and LogErrorSubsystem numbers. */
const EVENT = { armed: 10, disarmed: 11 } as const;
const ERRORS: readonly (readonly [text: RegExp, subsystem: number])[] = [
  [/^Battery Failsafe/, 6],
  [/^GCS Failsafe - /, 8],
  [/^Fence Breach/, 9],
];
/** Since 1970, of GPS week 0; GPS does not follow leap seconds. */
const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
/** Messages a second of the vehicle's own time. */
const RATES = { position: 10, gps: 5, slow: 2 } as const;
/** Seconds of the vehicle's own time for which it logs after disarming. */
const PERSISTS = 15;

/**
 * Logs an ArduPilot vehicle's flights as its own logger does. Arming opens the log, too late to be in it. It is written to
 * for 15 s after disarming, with LOG_DISARMED always. All flights until power-off are in one file, with LOG_FILE_DSRMROT
 * each begins another.
 */
export class DataFlashRecorder extends FlightRecorder<LogFile> {
  private wasArmed = false;
  private persistsUntil = Number.NEGATIVE_INFINITY;
  private readonly rates = new Rates(RATES);
  private mode: number | undefined;
  private home: GlobalPosition | undefined;

  protected record(now: number): void {
    const { armed, time, params } = this.flight;
    if (armed) this.persistsUntil = time + PERSISTS;
    const logs = time < this.persistsUntil || params.get("LOG_DISARMED") > 0;
    if (this.file) this.armedChanged(this.file);
    else if (logs) this.begin();
    this.wasArmed = armed;
    if (!this.file || !logs) return;
    this.changes(this.file);
    this.samples(this.file, now);
  }

  protected recordText(file: LogFile, _severity: Severity, text: string): void {
    file.write("MSG", this.time, text);
    const error = ERRORS.find(([pattern]) => pattern.test(text));
    if (error) file.write("ERR", this.time, error[1], 1);
  }

  private begin(): void {
    const { flight, time } = this;
    const file = new LogFile(this.folder);
    this.file = file;
    for (const { name, value } of flight.params.all) file.write("PARM", time, name, value, Number.NaN);
    const name = flight.kind === "copter" ? "ArduCopter" : "ArduRover";
    file.write("MSG", time, `${name} V4.7.0 (simulated)`);
    if (flight.kind === "copter") file.write("MSG", time, "Frame: QUAD/PLUS");
    const { lat, lng, altitude } = flight.origin;
    file.write("ORGN", time, 0, lat, lng, altitude);
    this.rates.restart();
    this.mode = undefined;
    this.home = undefined;
  }

  private armedChanged(file: LogFile): void {
    const { armed, params } = this.flight;
    if (armed === this.wasArmed) return;
    file.write("EV", this.time, armed ? EVENT.armed : EVENT.disarmed);
    file.flush();
    if (!armed && params.get("LOG_FILE_DSRMROT") > 0) this.end();
  }

  private changes(file: LogFile): void {
    const { flight, time } = this;
    if (this.mode !== flight.mode.number) {
      this.mode = flight.mode.number;
      file.write("MODE", time, this.mode, this.mode, 0);
    }
    if (this.home !== flight.home) {
      this.home = flight.home;
      file.write("ORGN", time, 1, this.home.lat, this.home.lng, this.home.altitude);
    }
  }

  private samples(file: LogFile, now: number): void {
    const { rates, flight } = this;
    if (rates.isDue("position", flight.time)) this.position(file);
    if (rates.isDue("gps", flight.time)) this.gps(file, now);
    if (rates.isDue("slow", flight.time)) this.system(file);
  }

  private position(file: LogFile): void {
    const { flight, time } = this;
    const { position, relativeAltitude, body } = flight;
    if (flight.hasPosition)
      file.write("POS", time, position.lat, position.lng, position.altitude, relativeAltitude, -body.d);
  }

  private gps(file: LogFile, now: number): void {
    const { flight, time } = this;
    const { body, position, hasPosition } = flight;
    const week = Math.floor((now - GPS_EPOCH) / WEEK);
    const inWeek = (now - GPS_EPOCH) % WEEK;
    const course = toHeading(Math.atan2(body.ve, body.vn));
    const { lat, lng, altitude } = hasPosition ? position : { lat: 0, lng: 0, altitude: 0 };
    const [fix, satellites, hdop] = hasPosition ? [6, 10, 1.21] : [1, 3, 99.99];
    const speed = groundSpeed(body);
    file.write(
      "GPS",
      time,
      0,
      fix,
      inWeek,
      week,
      satellites,
      hdop,
      lat,
      lng,
      altitude,
      speed,
      course,
      body.vd,
      0,
      1,
    );
  }

  private system(file: LogFile): void {
    const { battery, landed } = this.flight;
    const { volts, amperes, used } = battery;
    const energy = (used * volts) / 1000;
    const left = remaining(battery) * 100;
    file.write("BAT", this.time, 0, volts, volts, amperes, used, energy, 0, 0, left);
    const shake = landed ? 0.001 : 0.003;
    file.write("VIBE", this.time, 0, shake, shake, shake, 0);
    file.flush();
  }
}
