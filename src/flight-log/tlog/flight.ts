import { modeName } from "../../vehicle/mavlink/modes";
import { decodeAs } from "../../vehicle/mavlink/wire/codec";
import type { Frame } from "../../vehicle/mavlink/wire/frame";
import {
  common,
  type MavLinkData,
  type MavLinkDataConstructor,
  minimal,
} from "../../vehicle/mavlink/wire/messages";
import type { FlightReader } from "../reader";
import type { FlightTime } from "../result";
import { FlightStatsBuilder } from "../stats/flight-stats-builder";
import { ESTIMATOR, RECEIVER } from "../stats/ground-track";
import { severityOf } from "../stats/incidents";
import { TlogReader } from "./reader";

const ARMED = 0x80;
/** MAV_SEVERITY: 4 is a warning, smaller ones are worse. */
const WARNING = 4;
const FAILING: readonly number[] = [
  minimal.MavState.CRITICAL,
  minimal.MavState.EMERGENCY,
  minimal.MavState.FLIGHT_TERMINATION,
];
const ROVERS: readonly number[] = [minimal.MavType.GROUND_ROVER, minimal.MavType.SURFACE_BOAT];

type Handle = (flight: FlightStatsBuilder, frame: Frame) => void;

function on<T extends MavLinkData>(
  message: MavLinkDataConstructor<T>,
  handle: (flight: FlightStatsBuilder, fields: T) => void,
): [number, Handle] {
  return [message.MSG_ID, (flight, frame) => handle(flight, decodeAs(frame, message))];
}

const known = (value: number, unknown: number, scale: number): number | undefined =>
  value === unknown ? undefined : value * scale;

/** The messages that the statistics need, with MAVLink's units and values for "unknown". */
const HANDLERS: ReadonlyMap<number, Handle> = new Map([
  on(common.GlobalPositionInt, (flight, { lat, lon, alt, relativeAlt, vx, vy, vz }) => {
    if (lat === 0 && lon === 0) return;
    flight.velocity(Math.hypot(vx, vy) / 100, -vz / 100);
    flight.position(ESTIMATOR, lat / 1e7, lon / 1e7, alt / 1000, relativeAlt / 1000);
  }),
  on(common.GpsRawInt, (flight, { fixType, lat, lon, alt, eph, satellitesVisible }) => {
    if (satellitesVisible !== 255) flight.gps(fixType, satellitesVisible, known(eph, 65_535, 0.01));
    if (fixType >= 3) flight.position(RECEIVER, lat / 1e7, lon / 1e7, alt / 1000);
  }),
  on(common.HomePosition, (flight, { latitude, longitude, altitude }) =>
    flight.home(latitude / 1e7, longitude / 1e7, altitude / 1000),
  ),
  on(common.SysStatus, (flight, { voltageBattery, batteryRemaining, currentBattery }) =>
    flight.battery(voltageBattery / 1000, undefined, batteryRemaining, known(currentBattery, -1, 0.01)),
  ),
  on(common.BatteryStatus, (flight, { id, currentConsumed }) => {
    if (id === 0) flight.battery(Number.NaN, currentConsumed);
  }),
  on(common.Vibration, (flight, { vibrationX, vibrationY, vibrationZ, clipping0, clipping1, clipping2 }) =>
    flight.vibration(0, vibrationX, vibrationY, vibrationZ, clipping0 + clipping1 + clipping2),
  ),
  on(common.StatusText, (flight, { severity, text }) => {
    if (/^Ardu\w+ V\d/.test(text)) flight.vehicle ??= text;
    const inWords = severityOf(text);
    if (inWords) flight.incident(inWords, text);
    else if (severity <= WARNING) flight.incident(severity < WARNING ? "error" : "warning", text);
    else flight.message("info", text);
  }),
]);

/** Undefined for the heartbeat of a ground station or of another component. */
function autopilotBeat(frame: Frame): minimal.Heartbeat | undefined {
  const beat = decodeAs(frame, minimal.Heartbeat);
  const isAutopilot = beat.autopilot !== minimal.MavAutopilot.INVALID && beat.type !== minimal.MavType.GCS;
  return isAutopilot ? beat : undefined;
}

/**
 * Reads a ground station's log of one vehicle's telemetry; of several vehicles, the first one. Only the vehicle's frames
 * count: the station's own go on after the vehicle was lost.
 */
export function tlogFlight(during?: FlightTime): FlightReader {
  const flight = new FlightStatsBuilder(during);
  let vehicle: { systemId: number; autopilot: number; type: number } | undefined;

  const messages = new TlogReader((frame, microseconds) => {
    const beat = frame.id === minimal.Heartbeat.MSG_ID ? autopilotBeat(frame) : undefined;
    if (beat) vehicle ??= { systemId: frame.systemId, autopilot: beat.autopilot, type: beat.type };
    if (frame.systemId !== vehicle?.systemId || !flight.at(microseconds / 1e6)) return;
    flight.utc(microseconds / 1000);
    if (beat) {
      flight.armedIs((beat.baseMode & ARMED) !== 0);
      flight.failsafe(FAILING.includes(beat.systemStatus), "Failsafe");
      flight.mode(beat.customMode);
    } else if (frame.componentId === minimal.MavComponent.AUTOPILOT1) HANDLERS.get(frame.id)?.(flight, frame);
  });

  const nameOf = (mode: number): string => {
    const px4 = vehicle?.autopilot === minimal.MavAutopilot.PX4;
    const kind = vehicle && ROVERS.includes(vehicle.type) ? "rover" : "copter";
    return modeName({ autopilot: px4 ? "px4" : "ardupilot", kind }, mode);
  };
  return { format: "tlog", messages, figures: () => flight.figures(nameOf) };
}
