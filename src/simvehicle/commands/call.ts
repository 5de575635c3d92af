import { common } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import type { Arming } from "../safety/arming";
import type { Streams } from "../streams";

/** A COMMAND_LONG or COMMAND_INT in one form. */
export interface Call {
  readonly command: number;
  readonly param1: number;
  readonly param2: number;
  readonly param3: number;
  readonly param4: number;
  /** Degrees where the command has a position; NaN when not given. */
  readonly lat: number;
  readonly lng: number;
  readonly z: number;
  /** MAV_FRAME; COMMAND_LONG has none, and counts as above home. */
  readonly frame: number;
}

/** MAV_CMD_COMPONENT_ARM_DISARM's second parameter of a ground station that insists. */
export const FORCED = 21196;
/** Both autopilots mix for no more. */
export const LAST_MOTOR = 12;

export const Result = common.MavResult;
export type Result = common.MavResult;

/** The vehicle's parts that command handlers use. */
export interface CommandContext {
  readonly flight: Flight;
  readonly arming: Arming;
  readonly streams: Streams;
  /** Send one telemetry message now; false when there is none of that id. */
  sendOnce(id: number): boolean;
  hasMessage(id: number): boolean;
}

export type Handler = (context: CommandContext, call: Call) => Result;

/** Metres above mean sea level of a call's height in its frame. */
export function altitudeOf({ flight }: CommandContext, { z, frame }: Call): number {
  return frame === 0 || frame === 5 ? z : flight.home.altitude + z;
}

const E7 = 1e7;

export const fromLong = (message: common.CommandLong): Call => ({
  command: message.command,
  param1: message._param1,
  param2: message._param2,
  param3: message._param3,
  param4: message._param4,
  lat: message._param5,
  lng: message._param6,
  z: message._param7,
  frame: 3,
});

export const fromInt = (message: common.CommandInt): Call => ({
  command: message.command,
  param1: message._param1,
  param2: message._param2,
  param3: message._param3,
  param4: message._param4,
  lat: message._param5 / E7,
  lng: message._param6 / E7,
  z: message._param7,
  frame: message.frame,
});
