import { cameraCommands } from "./camera-commands";
import type { Autopilot, Command, CommandGroup, Parameter, ParameterColumn, PositionKind } from "./command";
import { commandName, parameterTexts } from "./command-texts";
import { flightCommands } from "./flight-commands";
import { orderCommands } from "./order-commands";

export type { Autopilot, Command, CommandGroup, Parameter, ParameterColumn, PositionKind };
export { commandName, parameterTexts };

/**
 * The MAV_CMDs that pilots put into missions, with their parameters by MAVLink's common.xml. What each autopilot takes and
 * keeps is as ArduPilot 4.6 (AP_Mission::mavlink_int_to_mission_cmd) and PX4 1.18 (parse_mavlink_mission_item) have it.
 */
export const commands: readonly Command[] = [...flightCommands, ...orderCommands, ...cameraCommands];

const byId = new Map<number, Command>(commands.map((command) => [command.id, command]));

/** Undefined for a command that is not in the table: its parameters are numbers without labels. */
export const commandOf = (id: number): Command | undefined => byId.get(id);

export const JUMP = 177;
export const WAYPOINT = 16;
export const TAKE_OFF = 22;
export const RETURN = 20;
export const CHANGE_SPEED = 178;
