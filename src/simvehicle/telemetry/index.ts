import type { MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import * as navigation from "./navigation";
import * as sensors from "./sensors";
import * as system from "./system";

export type { SystemView } from "./system";

/** Everything a telemetry message is made of. */
export interface TelemetryView extends system.SystemView {
  readonly fence: { readonly breached: boolean; readonly count: number };
}

const ofFlight =
  (make: (flight: Flight) => MavLinkData) =>
  ({ flight }: TelemetryView): MavLinkData =>
    make(flight);

const shared: Readonly<Record<number, (view: TelemetryView) => MavLinkData>> = {
  0: system.heartbeat,
  1: system.systemStatus,
  2: system.systemTime,
  24: ofFlight(navigation.gpsRaw),
  27: ofFlight(sensors.rawImu),
  29: ofFlight(sensors.scaledPressure),
  30: ofFlight(navigation.attitude),
  31: ofFlight(navigation.attitudeQuaternion),
  32: ofFlight(navigation.localPosition),
  33: ofFlight(navigation.globalPosition),
  36: system.servoOutputs,
  42: system.missionCurrent,
  49: ofFlight(navigation.gpsOrigin),
  62: ofFlight(navigation.navController),
  65: system.radioChannels,
  74: ofFlight(navigation.hud),
  87: ofFlight(navigation.positionTarget),
  116: ofFlight(sensors.scaledImu2),
  125: system.powerStatus,
  147: system.batteryStatus,
  148: system.autopilotVersion,
  241: ofFlight(sensors.vibration),
  242: ofFlight(navigation.homePosition),
  245: system.extendedState,
};

const ardupilotOnly: Readonly<Record<number, (view: TelemetryView) => MavLinkData>> = {
  152: system.memory,
  162: (view) => system.fenceStatus(view, view.fence.breached, view.fence.count),
  163: ofFlight(sensors.ahrs),
  178: ofFlight(sensors.ahrs2),
  193: ofFlight(sensors.ekfStatus),
};

const px4Only: Readonly<Record<number, (view: TelemetryView) => MavLinkData>> = {
  105: ofFlight(sensors.highresImu),
  230: ofFlight(sensors.estimatorStatus),
};

const builders = {
  ardupilot: { ...shared, ...ardupilotOnly },
  px4: { ...shared, ...px4Only },
};

/** One telemetry message by its id, or undefined when this autopilot has none such. */
export function telemetry(id: number, view: TelemetryView): MavLinkData | undefined {
  const table: Readonly<Record<number, (view: TelemetryView) => MavLinkData>> =
    builders[view.flight.autopilot];
  return table[id]?.(view);
}

/** Whether this autopilot knows a message by that id. */
export const knows = (id: number, autopilot: "ardupilot" | "px4"): boolean => id in builders[autopilot];
