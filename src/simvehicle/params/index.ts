import { ardupilotCopter } from "./ardupilot-copter";
import { ardupilotRover } from "./ardupilot-rover";
import { px4Copter } from "./px4";
import type { ParamDefinition } from "./store";

/** The parameters a vehicle comes with. PX4 is a copter. */
export function definitionsFor(vehicle: {
  readonly kind: "copter" | "rover";
  readonly autopilot: "ardupilot" | "px4";
  readonly systemId: number;
}): ParamDefinition[] {
  const { kind, autopilot, systemId } = vehicle;
  const ardupilot = kind === "copter" ? ardupilotCopter : ardupilotRover;
  return (autopilot === "px4" ? px4Copter : ardupilot).map((definition) =>
    SYSTEM_ID.has(definition.name) ? { ...definition, value: systemId } : definition,
  );
}

const SYSTEM_ID = new Set(["MAV_SYSID", "MAV_SYS_ID"]);
