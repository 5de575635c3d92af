import { DownsampledSeries } from "./downsampled-series";

/** Of a flight. The statistics have an eighth of them. */
const MOST = 4_000;
const MOST_IN_STATS = 500;

/** A flight at one moment: a position, and the newest value of each measurement. NaN where the log had none. */
export interface Sample {
  /** Log time, in seconds. */
  readonly at: number;
  /** Degrees. */
  readonly lat: number;
  readonly lng: number;
  /** Metres above home. */
  readonly height: number;
  readonly speed: number;
  readonly climb: number;
  readonly volts: number;
  readonly percent: number;
  readonly amps: number;
  readonly satellites: number;
  readonly vibration: number;
}

/** Evenly spaced positions of a flight with what was measured then, `MOST` at most. */
export class Samples {
  speed = Number.NaN;
  climb = Number.NaN;
  volts = Number.NaN;
  percent = Number.NaN;
  amps = Number.NaN;
  satellites = Number.NaN;
  vibration = Number.NaN;
  private at = Number.NaN;
  private lat = Number.NaN;
  private lng = Number.NaN;
  private height = Number.NaN;
  private series = new DownsampledSeries<Sample>(MOST);

  /** A long log has millions of positions, so that only those that are kept become objects. */
  position(at: number, lat: number, lng: number, height: number): void {
    this.at = at;
    this.lat = lat;
    this.lng = lng;
    this.height = height;
    if (this.series.isNext()) this.series.keep(this.sample());
  }

  /** Forgets the positions, in place of which come those of a better source. */
  restart(): void {
    this.at = Number.NaN;
    this.series = new DownsampledSeries<Sample>(MOST);
  }

  get all(): readonly Sample[] {
    const last = Number.isNaN(this.at) ? undefined : this.sample();
    return this.series.upTo(last, (a, b) => a.at === b.at);
  }

  private sample(): Sample {
    const { at, lat, lng, height, speed, climb, volts, percent, amps, satellites, vibration } = this;
    return { at, lat, lng, height, speed, climb, volts, percent, amps, satellites, vibration };
  }
}

/** Every second, fourth, eighth … sample, and the last one: as many as the statistics have. */
export function forStats(samples: readonly Sample[]): readonly Sample[] {
  let step = 1;
  while (Math.ceil(samples.length / step) >= MOST_IN_STATS) step *= 2;
  const kept = samples.filter((_, n) => n % step === 0);
  const last = samples.at(-1);
  return last === undefined || kept.at(-1) === last ? kept : [...kept, last];
}
