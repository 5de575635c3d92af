import type { LatLng } from "../../domain/geo";
import type { BatteryStats, GpsStats, SeriesPoint, VibrationStats } from "../result";
import { DownsampledSeries } from "./downsampled-series";
import { GroundTrack, MAX_POINTS, orNull, RECEIVER } from "./ground-track";
import { Incidents } from "./incidents";
import { RunningStats } from "./running-stats";

/** MAVLink's, ArduPilot's and PX4's number of a three-dimensional fix; greater ones are better. */
const FIX_3D = 3;
/** Faster than anything we fly: a damaged message. */
const FASTEST = 300;
const MAX_SENSORS = 8;

export interface Home extends LatLng {
  /** Metres above mean sea level. */
  readonly altitude: number;
}

/** What is counted of a flight, and the incidents since the flight before it. */
export class FlightTotals {
  /** Log time at which it began, and at which it ended or the log did. */
  began: number | undefined;
  ended = 0;
  /**
   * Milliseconds since 1970 of the log's second 0, by the wall clock at its begin and at its end; NaN when it had none.
   * They differ in the log of a simulator that is faster than real time.
   */
  beginOffset = Number.NaN;
  endOffset = Number.NaN;
  /** Whether the log has its end. */
  isOver = false;
  /** The last one. */
  home: Home | undefined;
  failsafes = 0;
  /** Where its positions come from. */
  source = RECEIVER;
  /** Metres above sea level, of its first position. */
  groundAltitude = Number.NaN;
  readonly incidents = new Incidents();
  track = new GroundTrack(RECEIVER);
  private series = new DownsampledSeries<SeriesPoint>(MAX_POINTS);
  private lastHeight = Number.NaN;
  readonly speed = new RunningStats();
  readonly climb = new RunningStats();
  /** By mode, in the order in which they were entered. */
  readonly modes = new Map<number, { seconds: number }>();
  private readonly volts = new RunningStats();
  private readonly usedMah = new RunningStats();
  private startVolts = Number.NaN;
  private startPercent = Number.NaN;
  private lastPercent = Number.NaN;
  private readonly satellites = new RunningStats();
  private readonly hdop = new RunningStats();
  private readonly fixed = new RunningStats();
  private readonly vibrations = [new RunningStats(), new RunningStats(), new RunningStats()] as const;
  private readonly clips = Array.from({ length: MAX_SENSORS }, () => new RunningStats());
  private lastSpeed = Number.NaN;
  private lastVolts = Number.NaN;

  /** Positions of a better source replace those of the lesser one. */
  restartTrack(source: number): void {
    this.source = source;
    this.groundAltitude = Number.NaN;
    this.track = new GroundTrack(source);
    this.series = new DownsampledSeries<SeriesPoint>(MAX_POINTS);
  }

  noteSeries(aboveHome: number): void {
    this.lastHeight = aboveHome;
    if (this.series.isNext()) this.series.keep(this.point());
  }

  get seriesPoints(): readonly SeriesPoint[] {
    const last = Number.isNaN(this.track.begun) ? undefined : this.point();
    return this.series.upTo(last, (a, b) => a.seconds === b.seconds);
  }

  private point(): SeriesPoint {
    const { begun, latest } = this.track;
    return {
      seconds: latest - begun,
      altitude_m: orNull(this.lastHeight),
      speed_ms: orNull(this.lastSpeed),
      battery_v: orNull(this.lastVolts),
    };
  }

  velocity(ground: number, up: number): void {
    if (!(ground >= 0 && ground < FASTEST)) return;
    this.lastSpeed = ground;
    this.speed.add(ground);
    if (Math.abs(up) < FASTEST) this.climb.add(up);
  }

  battery(volts: number, usedMah: number, leftPercent: number): void {
    // A vehicle without a battery monitor sends 0; an unknown voltage is 65.535 or NaN.
    if (volts > 0.5 && volts < 1000 && volts !== 65.535) {
      if (Number.isNaN(this.startVolts)) this.startVolts = volts;
      this.lastVolts = volts;
      this.volts.add(volts);
    }
    if (usedMah >= 0) this.usedMah.add(usedMah);
    if (!(leftPercent >= 0 && leftPercent <= 100)) return;
    if (Number.isNaN(this.startPercent)) this.startPercent = leftPercent;
    this.lastPercent = leftPercent;
  }

  gps(fix: number, satellites: number, hdop: number): void {
    this.fixed.add(fix >= FIX_3D ? 1 : 0);
    this.satellites.add(satellites);
    if (hdop < 99) this.hdop.add(hdop);
  }

  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    this.vibrations[0].add(Math.abs(x));
    this.vibrations[1].add(Math.abs(y));
    this.vibrations[2].add(Math.abs(z));
    this.clips[sensor & (MAX_SENSORS - 1)]?.add(clips);
  }

  get batteryStats(): BatteryStats | null {
    const { volts, usedMah, startVolts, startPercent, lastPercent } = this;
    if (volts.min === null) return null;
    return {
      used_mah: usedMah.min === null || usedMah.max === null ? null : usedMah.max - usedMah.min,
      used_percent: orNull(Math.max(0, startPercent - lastPercent)),
      start_voltage_v: startVolts,
      min_voltage_v: volts.min,
    };
  }

  get gpsStats(): GpsStats | null {
    const { satellites, hdop, fixed } = this;
    if (satellites.min === null) return null;
    return {
      fix_share: fixed.mean ?? 0,
      min_satellites: satellites.min,
      mean_satellites: satellites.mean ?? satellites.min,
      mean_hdop: hdop.mean,
      max_hdop: hdop.max,
    };
  }

  get vibrationStats(): VibrationStats | null {
    const [x, y, z] = this.vibrations;
    if (x.isEmpty) return null;
    const clips = this.clips.reduce((sum, { min, max }) => sum + (max ?? 0) - (min ?? 0), 0);
    return {
      mean: [x.mean ?? 0, y.mean ?? 0, z.mean ?? 0],
      max: [x.max ?? 0, y.max ?? 0, z.max ?? 0],
      clips,
    };
  }
}
