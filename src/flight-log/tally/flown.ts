import type { BatteryStats, GpsStats, SeriesPoint, VibrationStats } from "../result";
import { MOST_POINTS, orNull, Path } from "./path";
import { Spread } from "./spread";
import { Thinned } from "./thinned";

/** MAVLink's, ArduPilot's and PX4's number of a three-dimensional fix; greater ones are better. */
const FIX_3D = 3;
/** Faster than anything we fly: a damaged message. */
const FASTEST = 300;
const MOST_SENSORS = 8;

/** What is counted of a flight. Thrown away, and begun afresh, when it turns out that there was none yet. */
export class Flown {
  /** Log time at which it began. */
  began: number | undefined;
  armedSeconds = 0;
  path = new Path();
  private series = new Thinned<SeriesPoint>(MOST_POINTS);
  private lastHeight = Number.NaN;
  readonly speed = new Spread();
  readonly climb = new Spread();
  /** By mode, in the order in which they were entered. */
  readonly modes = new Map<number, { seconds: number }>();
  private readonly volts = new Spread();
  private readonly usedMah = new Spread();
  private readonly leftPercent = new Spread();
  private startVolts = Number.NaN;
  private readonly satellites = new Spread();
  private readonly hdop = new Spread();
  private readonly fixed = new Spread();
  private readonly shaking = [new Spread(), new Spread(), new Spread()] as const;
  private readonly clips = Array.from({ length: MOST_SENSORS }, () => new Spread());
  private lastSpeed = Number.NaN;
  private lastVolts = Number.NaN;

  /** A better source of positions speaks: what the lesser one said is forgotten. */
  restartPath(): void {
    this.path = new Path();
    this.series = new Thinned<SeriesPoint>(MOST_POINTS);
  }

  noteSeries(aboveHome: number): void {
    this.lastHeight = aboveHome;
    if (this.series.isNext()) this.series.keep(this.point());
  }

  get seriesPoints(): readonly SeriesPoint[] {
    const last = Number.isNaN(this.path.begun) ? undefined : this.point();
    return this.series.upTo(last, (a, b) => a.seconds === b.seconds);
  }

  private point(): SeriesPoint {
    const { begun, latest } = this.path;
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
    // A vehicle without a monitor says 0, and one that does not know, 65.535 or NaN.
    if (volts > 0.5 && volts < 1000 && volts !== 65.535) {
      if (Number.isNaN(this.startVolts)) this.startVolts = volts;
      this.lastVolts = volts;
      this.volts.add(volts);
    }
    if (usedMah >= 0) this.usedMah.add(usedMah);
    if (leftPercent >= 0 && leftPercent <= 100) this.leftPercent.add(leftPercent);
  }

  gps(fix: number, satellites: number, hdop: number): void {
    this.fixed.add(fix >= FIX_3D ? 1 : 0);
    this.satellites.add(satellites);
    if (hdop < 99) this.hdop.add(hdop);
  }

  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    this.shaking[0].add(Math.abs(x));
    this.shaking[1].add(Math.abs(y));
    this.shaking[2].add(Math.abs(z));
    this.clips[sensor & (MOST_SENSORS - 1)]?.add(clips);
  }

  get batteryStats(): BatteryStats | null {
    const { volts, usedMah, leftPercent, startVolts } = this;
    if (volts.min === null) return null;
    const used = ({ min, max }: Spread) => (min === null || max === null ? null : max - min);
    return {
      used_mah: used(usedMah),
      used_percent: used(leftPercent),
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
    const [x, y, z] = this.shaking;
    if (x.isEmpty) return null;
    const clips = this.clips.reduce((sum, { min, max }) => sum + (max ?? 0) - (min ?? 0), 0);
    return {
      mean: [x.mean ?? 0, y.mean ?? 0, z.mean ?? 0],
      max: [x.max ?? 0, y.max ?? 0, z.max ?? 0],
      clips,
    };
  }
}
