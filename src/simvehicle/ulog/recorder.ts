import type { Flight } from "../flight";
import type { GlobalPosition } from "../geo";
import { groundSpeed } from "../kinematics";
import { FlightRecorder } from "../logging/flight-recorder";
import { Rates } from "../logging/rates";
import { Severity } from "../reports";
import { remaining } from "../safety/battery";
import type { Failsafes } from "../safety/failsafes";
import { LogFile } from "./log-file";

const ARMING_STATE = { disarmed: 1, armed: 2 } as const;
/** vehicle_status.nav_state of each mode. */
const NAVIGATION_STATES: Readonly<Record<string, number>> = {
  MANUAL: 0,
  ALTCTL: 1,
  POSCTL: 2,
  AUTO_MISSION: 3,
  AUTO_LOITER: 4,
  AUTO_RTL: 5,
  ACRO: 10,
  OFFBOARD: 14,
  STABILIZED: 15,
  AUTO_TAKEOFF: 17,
  AUTO_LAND: 18,
};
/** syslog's levels, of which PX4's logger uses these. */
const LEVEL = { error: 3, warning: 4, info: 6 } as const;
/** Messages a second of the vehicle's own time. Its status is logged when it changes, too. */
const RATES = { position: 10, gps: 8, battery: 5, status: 2, slow: 1 } as const;
/** Seconds of the vehicle's own time for which it logs after disarming. */
const PERSISTS = 1;

/** Logs a PX4 vehicle's flights as its own logger does by default (SDLOG_MODE 0): a file from each arming to the disarming. */
export class UlogRecorder extends FlightRecorder<LogFile> {
  private wasArmed = false;
  /** Of the vehicle's own time, in microseconds. */
  private armedAt = 0;
  private persistsUntil = Number.NEGATIVE_INFINITY;
  private readonly rates = new Rates(RATES);
  private status = "";
  private home: GlobalPosition | undefined;

  constructor(
    flight: Flight,
    private readonly failsafes: Failsafes,
    folder: string,
    complain: (text: string) => void,
  ) {
    super(flight, folder, complain);
  }

  protected record(now: number): void {
    const { armed, time } = this.flight;
    if (armed && !this.wasArmed) this.begin(now);
    if (armed) this.persistsUntil = time + PERSISTS;
    this.wasArmed = armed;
    if (!this.file) return;
    this.changes(this.file);
    this.samples(this.file, now);
    if (time >= this.persistsUntil) this.end();
  }

  protected recordText(file: LogFile, severity: Severity, text: string): void {
    const level =
      severity <= Severity.ALERT ? LEVEL.error : severity <= Severity.WARNING ? LEVEL.warning : LEVEL.info;
    file.log(level, this.time, `[commander] ${text}`);
  }

  /** The flight before may have ended a moment ago. */
  private begin(now: number): void {
    this.end();
    this.armedAt = this.time;
    this.file = new LogFile(this.folder, now, this.time, this.flight.params.all);
    this.rates.restart();
    this.status = "";
    this.home = undefined;
  }

  private changes(file: LogFile): void {
    const { flight, time } = this;
    const { armed, mode, home } = flight;
    const failsafe = this.failsafes.active;
    const status = `${armed} ${mode.name} ${failsafe}`;
    if (status !== this.status || this.rates.isDue("status", flight.time)) {
      this.status = status;
      file.write("vehicle_status", time, {
        armed_time: armed ? this.armedAt : 0,
        arming_state: armed ? ARMING_STATE.armed : ARMING_STATE.disarmed,
        nav_state: NAVIGATION_STATES[mode.name] ?? 0,
        failsafe,
        system_id: flight.options.systemId,
        component_id: 1,
      });
    }
    if (home !== this.home) {
      this.home = home;
      const { n, e } = flight.local(home);
      const known = { valid_alt: true, valid_hpos: true, valid_lpos: true };
      const { lat, lng, altitude } = home;
      file.write("home_position", time, {
        lat,
        lon: lng,
        alt: altitude,
        x: n,
        y: e,
        z: flight.downOf(0),
        ...known,
      });
    }
  }

  private samples(file: LogFile, now: number): void {
    const { rates, flight } = this;
    if (flight.hasPosition && rates.isDue("position", flight.time)) this.position(file);
    if (rates.isDue("gps", flight.time)) this.gps(file, now);
    if (rates.isDue("battery", flight.time)) this.battery(file);
    if (rates.isDue("slow", flight.time)) this.slow(file);
  }

  private position(file: LogFile): void {
    const { flight, time } = this;
    const { lat, lng, altitude } = flight.position;
    const { n, e, d, vn, ve, vd, an, ae, ad, yaw } = flight.body;
    file.write("vehicle_global_position", time, {
      timestamp_sample: time,
      ...{ lat, lon: lng, alt: altitude },
      ...{ lat_lon_valid: true, alt_valid: true },
    });
    file.write("vehicle_local_position", time, {
      timestamp_sample: time,
      ...{ x: n, y: e, z: d, vx: vn, vy: ve, vz: vd, ax: an, ay: ae, az: ad },
      heading: yaw,
      ...{ xy_valid: true, z_valid: true, v_xy_valid: true, v_z_valid: true },
    });
  }

  private gps(file: LogFile, now: number): void {
    const { flight, time } = this;
    const { hasPosition, body } = flight;
    const { lat, lng, altitude } = hasPosition ? flight.position : { lat: 0, lng: 0, altitude: 0 };
    file.write("vehicle_gps_position", time, {
      timestamp_sample: time,
      ...{ latitude_deg: lat, longitude_deg: lng, altitude_msl_m: altitude },
      time_utc_usec: now * 1000,
      hdop: hasPosition ? 1.21 : 99.99,
      ...{ vel_m_s: groundSpeed(body), vel_n_m_s: body.vn, vel_e_m_s: body.ve, vel_d_m_s: body.vd },
      cog_rad: Math.atan2(body.ve, body.vn),
      fix_type: hasPosition ? 6 : 1,
      vel_ned_valid: hasPosition,
      satellites_used: hasPosition ? 10 : 3,
    });
  }

  private battery(file: LogFile): void {
    const { battery } = this.flight;
    const { volts, amperes, used, cells, capacity } = battery;
    file.write("battery_status", this.time, {
      voltage_v: volts,
      current_a: amperes,
      discharged_mah: used,
      remaining: remaining(battery),
      voltage_cell_v: Array.from({ length: cells }, () => volts / cells),
      capacity,
      connected: true,
      cell_count: cells,
      id: 1,
    });
  }

  private slow(file: LogFile): void {
    const shake = this.flight.landed ? 0.001 : 0.003;
    file.write("vehicle_imu_status", this.time, { accel_clipping: [0, 0, 0], accel_vibration_metric: shake });
    file.sync();
    file.flush();
  }
}
