import { type LatLng, METRES_PER_DEGREE, toRadians } from "../../domain/geo";
import { RunningStats } from "./running-stats";

/** Sources of positions, the better one is greater. */
export const RECEIVER = 1;
export const ESTIMATOR = 2;
/** Metres. At rest a receiver drifts and an estimator trembles: shorter steps are counted once they add up to this. */
const SHORTEST_STEP: Readonly<Record<number, number>> = { [RECEIVER]: 0.5, [ESTIMATOR]: 0.1 };
/** Metres per second. A step that needs more is a damaged message, unless the next positions agree with it. */
const FASTEST = 150;
/** Positions that agree with each other. */
const AGREEING = 3;

/**
 * The square of the distance between two positions, in degrees of latitude; flat within the few kilometres of a
 * flight. `lngScale`: cosine of the latitude. Most distances are only compared, and square roots are slow.
 */
function squaredDistance(lat: number, lng: number, toLat: number, toLng: number, lngScale: number): number {
  let across = toLng - lng;
  if (across > 180) across -= 360;
  else if (across < -180) across += 360;
  const east = across * lngScale;
  const north = toLat - lat;
  return north * north + east * east;
}

export const isPosition = (lat: number, lng: number): boolean =>
  Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (Math.abs(lat) > 1e-6 || Math.abs(lng) > 1e-6);

/** Distances over ground. A long log has millions of positions, so no position becomes an object. */
export class GroundTrack {
  distance = 0;
  /** Seconds of log time; NaN while there is no position. */
  private latest = Number.NaN;
  readonly altitude = new RunningStats();
  private farthest = -1;
  private firstLat = Number.NaN;
  private firstLng = Number.NaN;
  private lat = Number.NaN;
  private lng = Number.NaN;
  private cornerLat = Number.NaN;
  private cornerLng = Number.NaN;
  private scaledAt = Number.NaN;
  private lngScale = 1;
  private outliers = 0;
  /** Degrees of latitude. */
  private readonly shortestStep: number;

  constructor(source: number) {
    this.shortestStep = (SHORTEST_STEP[source] ?? 0) / METRES_PER_DEGREE;
  }

  /** False when the position is not credible. `aboveHome` is NaN when it is not known. */
  add(lat: number, lng: number, seconds: number, aboveHome: number, home: LatLng | undefined): boolean {
    // Within a hundred metres the scale hardly changes.
    if (!(Math.abs(lat - this.scaledAt) < 0.001)) {
      this.scaledAt = lat;
      this.lngScale = Math.cos(toRadians(lat));
    }
    if (Number.isNaN(this.latest)) this.begin(lat, lng);
    else if (!this.credible(lat, lng, seconds)) return false;
    const { lngScale } = this;
    this.latest = seconds;
    this.lat = lat;
    this.lng = lng;
    const step = squaredDistance(this.cornerLat, this.cornerLng, lat, lng, lngScale);
    if (step >= this.shortestStep ** 2) {
      this.distance += Math.sqrt(step) * METRES_PER_DEGREE;
      this.cornerLat = lat;
      this.cornerLng = lng;
    }
    this.altitude.add(aboveHome);
    const away = home
      ? squaredDistance(home.lat, home.lng, lat, lng, lngScale)
      : squaredDistance(this.firstLat, this.firstLng, lat, lng, lngScale);
    if (away > this.farthest) this.farthest = away;
    return true;
  }

  /** From home, or from where it began while no home was known; null while there is no position. */
  get greatestDistance(): number | null {
    return this.farthest < 0 ? null : Math.sqrt(this.farthest) * METRES_PER_DEGREE;
  }

  private begin(lat: number, lng: number): void {
    this.firstLat = this.cornerLat = lat;
    this.firstLng = this.cornerLng = lng;
  }

  private credible(lat: number, lng: number, seconds: number): boolean {
    const most = (20 + FASTEST * Math.max(0, seconds - this.latest)) / METRES_PER_DEGREE;
    if (squaredDistance(this.lat, this.lng, lat, lng, this.lngScale) <= most * most) {
      this.outliers = 0;
      return true;
    }
    this.outliers++;
    if (this.outliers < AGREEING) return false;
    // Several agree: an estimator moved its origin. The jump is not part of the distance.
    this.outliers = 0;
    this.cornerLat = lat;
    this.cornerLng = lng;
    return true;
  }
}
