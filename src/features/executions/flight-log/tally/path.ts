import type { Place, TrackPoint } from "../result";
import { Spread } from "./spread";
import { Thinned } from "./thinned";

const METRES_PER_DEGREE = 111_318.845;
/** A receiver at rest wanders; steps shorter than this are counted once they add up to it. */
const SHORTEST_STEP = 0.5;
/** Nothing we fly is faster: a step that would need more is a damaged message, unless others agree with it. */
const FASTEST = 150;
const AGREEING = 3;
export const MOST_POINTS = 500;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres between two places; flat within the few kilometres of a flight. `shrink`: cosine of the latitude. */
function metresBetween(from: Place, to: Place, shrink: number): number {
  let across = to.lng - from.lng;
  if (across > 180) across -= 360;
  else if (across < -180) across += 360;
  const east = across * shrink;
  const north = to.lat - from.lat;
  // Several times as fast as Math.hypot, and asked for every position of a long log.
  return Math.sqrt(north * north + east * east) * METRES_PER_DEGREE;
}

export const isPlace = (lat: number, lng: number): boolean =>
  Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (Math.abs(lat) > 1e-6 || Math.abs(lng) > 1e-6);

interface Moment extends Place {
  readonly seconds: number;
}

/** The way a vehicle took over ground. */
export class Path {
  distance = 0;
  first: Moment | undefined;
  last: Moment | undefined;
  readonly altitude = new Spread();
  readonly fromHome = new Spread();
  private lastHeight: number | undefined;
  private readonly track = new Thinned<TrackPoint>(MOST_POINTS);
  private corner: Place | undefined;
  private shrinkAt = Number.NaN;
  private shrink = 1;
  private outliers = 0;

  /** False when the position is not credible. */
  add(here: Moment, aboveHome: number | undefined, home: Place | undefined): boolean {
    // A hundred metres change nothing that can be seen.
    if (!(Math.abs(here.lat - this.shrinkAt) < 0.001)) {
      this.shrinkAt = here.lat;
      this.shrink = Math.cos(radians(here.lat));
    }
    if (!this.credible(here)) return false;
    this.first ??= here;
    this.last = here;
    this.corner ??= here;
    const step = metresBetween(this.corner, here, this.shrink);
    if (step >= SHORTEST_STEP) {
      this.distance += step;
      this.corner = here;
    }
    if (aboveHome !== undefined) this.altitude.add(aboveHome);
    this.fromHome.add(metresBetween(home ?? this.first, here, this.shrink));
    this.lastHeight = aboveHome;
    if (this.track.isNext()) this.track.keep(this.point(here));
    return true;
  }

  get points(): readonly TrackPoint[] {
    const { last } = this;
    return this.track.upTo(last && this.point(last), (a, b) => a.seconds === b.seconds);
  }

  private point({ seconds, lat, lng }: Moment): TrackPoint {
    return {
      seconds: seconds - (this.first?.seconds ?? seconds),
      lat,
      lng,
      altitude_m: this.lastHeight ?? null,
    };
  }

  private credible(here: Moment): boolean {
    const { last } = this;
    if (!last) return true;
    const step = metresBetween(last, here, this.shrink);
    const isOutlier = step > 20 + FASTEST * Math.max(0, here.seconds - last.seconds);
    if (!isOutlier) {
      this.outliers = 0;
      return true;
    }
    this.outliers++;
    if (this.outliers < AGREEING) return false;
    // It really is there: an estimator moved its origin. Nobody flew that way.
    this.outliers = 0;
    this.corner = here;
    return true;
  }
}
