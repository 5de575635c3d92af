import type { BatteryStats, GpsStats, SeriesPoint, VibrationStats } from "../result";
import { MOST_POINTS, Path } from "./path";
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
  private lastHeight: number | undefined;
  readonly speed = new Spread();
  readonly climb = new Spread();
  /** By mode, in the order in which they were entered. */
  readonly modes = new Map<number, { seconds: number }>();
  private readonly volts = new Spread();
  private readonly usedMah = new Spread();
  private readonly leftPercent = new Spread();
  private startVolts: number | undefined;
  private readonly satellites = new Spread();
  private readonly hdop = new Spread();
  private readonly fixed = new Spread();
  private readonly shaking = [new Spread(), new Spread(), new Spread()] as const;
  private readonly clips = Array.from({ length: MOST_SENSORS }, () => new Spread());
  private lastSpeed: number | undefined;
  private lastVolts: number | undefined;

  /** A better source of positions speaks: what the lesser one said is forgotten. */
  restartPath(): void {
    this.path = new Path();
    this.series = new Thinned<SeriesPoint>(MOST_POINTS);
  }

  noteSeries(aboveHome: number | undefined): void {
    this.lastHeight = aboveHome;
    if (this.series.isNext()) this.series.keep(this.point());
  }

  get seriesPoints(): readonly SeriesPoint[] {
    const last = this.path.last && this.point();
    return this.series.upTo(last, (a, b) => a.seconds === b.seconds);
  }

  private point(): SeriesPoint {
    const { first, last } = this.path;
    return {
      seconds: (last?.seconds ?? 0) - (first?.seconds ?? 0),
      altitude_m: this.lastHeight ?? null,
      speed_ms: this.lastSpeed ?? null,
      battery_v: this.lastVolts ?? null,
    };
  }

  velocity(ground: number, up: number | undefined): void {
    if (!(ground >= 0 && ground < FASTEST)) return;
    this.lastSpeed = ground;
    this.speed.add(ground);
    if (up !== undefined && Math.abs(up) < FASTEST) this.climb.add(up);
  }

  battery(volts: number, usedMah: number | undefined, leftPercent: number | undefined): void {
    // A vehicle without a monitor says 0, and one that does not know, 65.535 or NaN.
    if (volts > 0.5 && volts < 1000 && volts !== 65.535) {
      this.startVolts ??= volts;
      this.lastVolts = volts;
      this.volts.add(volts);
    }
    if (usedMah !== undefined && usedMah >= 0) this.usedMah.add(usedMah);
    if (leftPercent !== undefined && leftPercent >= 0 && leftPercent <= 100)
      this.leftPercent.add(leftPercent);
  }

  gps(fix: number, satellites: number, hdop: number | undefined): void {
    this.fixed.add(fix >= FIX_3D ? 1 : 0);
    this.satellites.add(satellites);
    if (hdop !== undefined && hdop < 99) this.hdop.add(hdop);
  }

  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    this.shaking[0].add(Math.abs(x));
    this.shaking[1].add(Math.abs(y));
    this.shaking[2].add(Math.abs(z));
    this.clips[sensor & (MOST_SENSORS - 1)]?.add(clips);
  }

  get batteryStats(): BatteryStats | null {
    const { volts, usedMah, leftPercent, startVolts } = this;
    if (volts.min === null || startVolts === undefined) return null;
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
