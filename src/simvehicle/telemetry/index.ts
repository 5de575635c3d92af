import type { MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import * as navigation from "./navigation";
import * as sensors from "./sensors";
import * as system from "./system";

export type { TelemetryView } from "./system";

type Build = (view: system.TelemetryView) => MavLinkData;

const ofFlight =
  (make: (flight: Flight) => MavLinkData): Build =>
  ({ flight }) =>
    make(flight);

const shared: Readonly<Record<number, Build>> = {
  0: system.heartbeat,
  1: system.systemStatus,
  24: ofFlight(navigation.gpsRaw),
  27: ofFlight(sensors.rawImu),
  31: ofFlight(navigation.attitudeQuaternion),
  33: ofFlight(navigation.globalPosition),
  42: system.missionCurrent,
  49: ofFlight(navigation.gpsOrigin),
  74: ofFlight(navigation.hud),
  87: ofFlight(navigation.positionTarget),
  242: ofFlight(navigation.homePosition),
  245: system.extendedState,
};

/** Message id → its content. An autopilot has the messages that the gateway requests. */
const builders: Readonly<Record<Flight["autopilot"], Readonly<Record<number, Build>>>> = {
  ardupilot: { ...shared, 193: ofFlight(sensors.ekfStatus) },
  px4: { ...shared, 105: ofFlight(sensors.highresImu), 230: ofFlight(sensors.estimatorStatus) },
};

/** One telemetry message by its id, or undefined when this autopilot does not have it. */
export const telemetry = (id: number, view: system.TelemetryView): MavLinkData | undefined =>
  builders[view.flight.autopilot][id]?.(view);

/** Whether this autopilot has a message with that id. */
export const hasMessage = (id: number, autopilot: Flight["autopilot"]): boolean => id in builders[autopilot];
