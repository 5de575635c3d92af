import type { RawGpsFix, TelemetryMessage } from "../../telemetry-messages";
import type { common } from "../wire/messages";

/** NavSatStatus. */
const NO_FIX = -1;
const FIX = 0;
const SATELLITE_AUGMENTED = 1;
const GROUND_AUGMENTED = 2;
const SERVICE_GPS = 1;

/** GPS_FIX_TYPE → NavSatStatus; below a 2D fix there is none. */
export function fixStatus(fixType: number): number {
  if (fixType < 2) return NO_FIX;
  if (fixType === 4 || fixType === 8) return SATELLITE_AUGMENTED;
  return fixType === 5 || fixType === 6 ? GROUND_AUGMENTED : FIX;
}

/** GPS_RAW_INT: degrees × 1e7, millimetres above mean sea level; 255 satellites mean unknown. */
export function toRawGps(raw: common.GpsRawInt): TelemetryMessage {
  const data: RawGpsFix = {
    latitude: raw.lat / 1e7,
    longitude: raw.lon / 1e7,
    altitude: raw.alt / 1000,
    status: { status: fixStatus(raw.fixType), service: SERVICE_GPS },
    ...(raw.satellitesVisible === 255 ? {} : { satellites_visible: raw.satellitesVisible }),
  };
  return { type: "raw_gps", data };
}

/**
 * GLOBAL_POSITION_INT, the estimator's position, with the receiver's fix when it has come. At 0,0 an
 * estimator has none yet.
 */
export function toGps(position: common.GlobalPositionInt, fixType: number | undefined): TelemetryMessage {
  const placed = position.lat !== 0 || position.lon !== 0;
  const status = fixType === undefined ? (placed ? FIX : NO_FIX) : fixStatus(fixType);
  return {
    type: "gps",
    data: {
      latitude: position.lat / 1e7,
      longitude: position.lon / 1e7,
      altitude: position.alt / 1000,
      status: { status, service: SERVICE_GPS },
    },
  };
}

/** Metres above home (GLOBAL_POSITION_INT.relative_alt is mm). */
export const toRelativeAltitude = (position: common.GlobalPositionInt): TelemetryMessage => ({
  type: "relalt",
  data: { data: position.relativeAlt / 1000 },
});

/** HOME_POSITION: degrees × 1e7, millimetres above mean sea level. */
export const toHome = (home: common.HomePosition): TelemetryMessage => ({
  type: "home",
  data: {
    geo: {
      latitude: home.latitude / 1e7,
      longitude: home.longitude / 1e7,
      altitude: home.altitude / 1000,
    },
  },
});
