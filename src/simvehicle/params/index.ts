import { ardupilotCopter, asBefore47 } from "./ardupilot-copter";
import { ardupilotRover } from "./ardupilot-rover";
import { px4Copter, px4Rover } from "./px4";
import type { ParamDefinition } from "./store";

/** The parameters a vehicle comes with. */
export function definitionsFor(vehicle: {
  readonly kind: "copter" | "rover";
  readonly autopilot: "ardupilot" | "px4";
  readonly firmware: "4.6" | "4.7";
  readonly systemId: number;
}): ParamDefinition[] {
  const { kind, autopilot, firmware, systemId } = vehicle;
  const own = autopilot === "px4" ? px4(kind) : ardupilot(kind, firmware);
  return own.map((definition) =>
    SYSTEM_ID.has(definition.name) ? { ...definition, value: systemId } : definition,
  );
}

const SYSTEM_ID = new Set(["MAV_SYSID", "SYSID_THISMAV", "MAV_SYS_ID"]);

const px4 = (kind: "copter" | "rover"): readonly ParamDefinition[] =>
  kind === "copter" ? px4Copter : px4Rover;

function ardupilot(kind: "copter" | "rover", firmware: "4.6" | "4.7"): readonly ParamDefinition[] {
  const current = kind === "copter" ? ardupilotCopter : ardupilotRover;
  return firmware === "4.6" ? asBefore47(current) : current;
}
