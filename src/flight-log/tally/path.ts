import type { Place, TrackPoint } from "../result";
import { Spread } from "./spread";
import { Thinned } from "./thinned";

const METRES_PER_DEGREE = 111_318.845;
/** A receiver at rest wanders; steps shorter than this are counted once they add up to it. */
const SHORTEST_STEP = 0.5 / METRES_PER_DEGREE;
/** Nothing we fly is faster: a step that would need more is a damaged message, unless others agree with it. */
const FASTEST = 150;
const AGREEING = 3;
export const MOST_POINTS = 500;

export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/**
 * The square of the way from one place to another, in degrees of latitude; flat within the few kilometres of a
 * flight. `shrink`: cosine of the latitude. Most ways are only compared, and roots are dear.
 */
function squaredWay(lat: number, lng: number, toLat: number, toLng: number, shrink: number): number {
  let across = toLng - lng;
  if (across > 180) across -= 360;
  else if (across < -180) across += 360;
  const east = across * shrink;
  const north = toLat - lat;
  return north * north + east * east;
}

export const isPlace = (lat: number, lng: number): boolean =>
  Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (Math.abs(lat) > 1e-6 || Math.abs(lng) > 1e-6);

/** The way a vehicle took over ground. A long log has millions of positions: none of them becomes an object. */
export class Path {
  distance = 0;
  /** Seconds of log time; not a number while there is no position. */
  begun = Number.NaN;
  latest = Number.NaN;
  readonly altitude = new Spread();
  private farthest = -1;
  private firstLat = Number.NaN;
  private firstLng = Number.NaN;
  private lat = Number.NaN;
  private lng = Number.NaN;
  private height = Number.NaN;
  private cornerLat = Number.NaN;
  private cornerLng = Number.NaN;
  private readonly track = new Thinned<TrackPoint>(MOST_POINTS);
  private shrinkAt = Number.NaN;
  private shrink = 1;
  private outliers = 0;

  /** False when the position is not credible. `aboveHome` is not a number when that is not known. */
  add(lat: number, lng: number, seconds: number, aboveHome: number, home: Place | undefined): boolean {
    // A hundred metres change nothing that can be seen.
    if (!(Math.abs(lat - this.shrinkAt) < 0.001)) {
      this.shrinkAt = lat;
      this.shrink = Math.cos(radians(lat));
    }
    if (Number.isNaN(this.begun)) this.begin(lat, lng, seconds);
    else if (!this.credible(lat, lng, seconds)) return false;
    const { shrink } = this;
    this.latest = seconds;
    this.lat = lat;
    this.lng = lng;
    this.height = aboveHome;
    const step = squaredWay(this.cornerLat, this.cornerLng, lat, lng, shrink);
    if (step >= SHORTEST_STEP ** 2) {
      this.distance += Math.sqrt(step) * METRES_PER_DEGREE;
      this.cornerLat = lat;
      this.cornerLng = lng;
    }
    this.altitude.add(aboveHome);
    const away = home
      ? squaredWay(home.lat, home.lng, lat, lng, shrink)
      : squaredWay(this.firstLat, this.firstLng, lat, lng, shrink);
    if (away > this.farthest) this.farthest = away;
    if (this.track.isNext()) this.track.keep(this.point());
    return true;
  }

  /** From home, or from where it began while no home was known; null while there is no position. */
  get greatestDistance(): number | null {
    return this.farthest < 0 ? null : Math.sqrt(this.farthest) * METRES_PER_DEGREE;
  }

  get points(): readonly TrackPoint[] {
    const last = Number.isNaN(this.begun) ? undefined : this.point();
    return this.track.upTo(last, (a, b) => a.seconds === b.seconds);
  }

  private begin(lat: number, lng: number, seconds: number): void {
    this.begun = seconds;
    this.firstLat = this.cornerLat = lat;
    this.firstLng = this.cornerLng = lng;
  }

  private point(): TrackPoint {
    const { lat, lng, height } = this;
    return { seconds: this.latest - this.begun, lat, lng, altitude_m: orNull(height) };
  }

  private credible(lat: number, lng: number, seconds: number): boolean {
    const most = (20 + FASTEST * Math.max(0, seconds - this.latest)) / METRES_PER_DEGREE;
    if (squaredWay(this.lat, this.lng, lat, lng, this.shrink) <= most * most) {
      this.outliers = 0;
      return true;
    }
    this.outliers++;
    if (this.outliers < AGREEING) return false;
    // It really is there: an estimator moved its origin. Nobody flew that way.
    this.outliers = 0;
    this.cornerLat = lat;
    this.cornerLng = lng;
    return true;
  }
}
