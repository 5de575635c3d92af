import type { LatLng } from "../../domain/geo";
import type { BatteryStats, GpsStats, VibrationStats } from "../result";
import { GroundTrack, RECEIVER } from "./ground-track";
import { Incidents } from "./incidents";
import { Messages } from "./messages";
import { orNull, RunningStats } from "./running-stats";
import { Samples } from "./samples";

/** MAVLink's, ArduPilot's and PX4's number of a three-dimensional fix; greater ones are better. */
const FIX_3D = 3;
/** Faster than anything we fly: a damaged message. */
const FASTEST = 300;
/** A battery monitor that was never calibrated reports thousands. */
const MOST_AMPS = 2_000;
const MAX_SENSORS = 8;
/** A damaged log must not fill the memory with changes. */
const MOST_MODE_CHANGES = 500;

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
  readonly messages = new Messages();
  track = new GroundTrack(RECEIVER);
  readonly samples = new Samples();
  readonly speed = new RunningStats();
  readonly climb = new RunningStats();
  /** By mode, in the order in which they were entered. */
  readonly modes = new Map<number, { seconds: number }>();
  /** Each with the log time at which it was entered. */
  modeChanges: { readonly at: number; readonly mode: number }[] = [];
  private readonly volts = new RunningStats();
  private readonly usedMah = new RunningStats();
  private startVolts = Number.NaN;
  private startPercent = Number.NaN;
  private readonly satellites = new RunningStats();
  private readonly hdop = new RunningStats();
  private readonly fixed = new RunningStats();
  private readonly vibrations = [new RunningStats(), new RunningStats(), new RunningStats()] as const;
  private readonly clips = Array.from({ length: MAX_SENSORS }, () => new RunningStats());

  /** Positions of a better source replace those of the lesser one. */
  restartTrack(source: number): void {
    this.source = source;
    this.groundAltitude = Number.NaN;
    this.track = new GroundTrack(source);
    this.samples.restart();
  }

  modeEntered(at: number, mode: number): void {
    if (this.modeChanges.length < MOST_MODE_CHANGES) this.modeChanges.push({ at, mode });
  }

  velocity(ground: number, up: number): void {
    if (!(ground >= 0 && ground < FASTEST)) return;
    this.samples.speed = ground;
    this.speed.add(ground);
    if (!(Math.abs(up) < FASTEST)) return;
    this.samples.climb = up;
    this.climb.add(up);
  }

  battery(volts: number, usedMah: number, leftPercent: number, amps: number): void {
    // A vehicle without a battery monitor sends 0; an unknown voltage is 65.535 or NaN.
    if (volts > 0.5 && volts < 1000 && volts !== 65.535) {
      if (Number.isNaN(this.startVolts)) this.startVolts = volts;
      this.samples.volts = volts;
      this.volts.add(volts);
    }
    if (usedMah >= 0) this.usedMah.add(usedMah);
    if (Math.abs(amps) < MOST_AMPS) this.samples.amps = amps;
    if (!(leftPercent >= 0 && leftPercent <= 100)) return;
    if (Number.isNaN(this.startPercent)) this.startPercent = leftPercent;
    this.samples.percent = leftPercent;
  }

  gps(fix: number, satellites: number, hdop: number): void {
    this.fixed.add(fix >= FIX_3D ? 1 : 0);
    this.satellites.add(satellites);
    this.samples.satellites = satellites;
    if (hdop < 99) this.hdop.add(hdop);
  }

  vibration(sensor: number, x: number, y: number, z: number, clips: number): void {
    this.vibrations[0].add(Math.abs(x));
    this.vibrations[1].add(Math.abs(y));
    this.vibrations[2].add(Math.abs(z));
    this.clips[sensor & (MAX_SENSORS - 1)]?.add(clips);
    if (!(sensor > 0)) this.samples.vibration = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  }

  get batteryStats(): BatteryStats | null {
    const { volts, usedMah, startVolts, startPercent, samples } = this;
    if (volts.min === null) return null;
    return {
      used_mah: usedMah.min === null || usedMah.max === null ? null : usedMah.max - usedMah.min,
      used_percent: orNull(Math.max(0, startPercent - samples.percent)),
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
