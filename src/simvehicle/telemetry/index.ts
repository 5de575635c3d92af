import type { MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import * as navigation from "./navigation";
import * as sensors from "./sensors";
import * as system from "./system";

export type { TelemetryView } from "./system";

type Build = (view: system.TelemetryView) => MavLinkData;

const shared: Readonly<Record<number, Build>> = {
  0: system.heartbeat,
  1: system.systemStatus,
  24: navigation.gpsRaw,
  27: sensors.rawImu,
  31: navigation.attitudeQuaternion,
  33: navigation.globalPosition,
  42: system.missionCurrent,
  49: navigation.gpsOrigin,
  74: navigation.hud,
  87: navigation.positionTarget,
  147: system.batteryStatus,
  242: navigation.homePosition,
  245: system.extendedState,
};

/** Message id → its content. An autopilot has the messages that the gateway requests. */
const builders: Readonly<Record<Flight["autopilot"], Readonly<Record<number, Build>>>> = {
  ardupilot: { ...shared, 62: navigation.navController, 168: sensors.wind, 193: sensors.ekfStatus },
  px4: { ...shared, 105: sensors.highresImu, 230: sensors.estimatorStatus, 231: sensors.windCov },
};

/** One telemetry message by its id, or undefined when this autopilot does not have it. */
export const telemetry = (id: number, view: system.TelemetryView): MavLinkData | undefined =>
  builders[view.flight.autopilot][id]?.(view);

/** Whether this autopilot has a message with that id. */
export const hasMessage = (id: number, autopilot: Flight["autopilot"]): boolean => id in builders[autopilot];
