import type { strings } from "../../../strings";

/** The flight software of a vehicle. */
export type Autopilot = "ardupilot" | "px4";

/** Of a parameter, as MAVLink has it. Metres and metres per second are shown in the user's units. */
export type ParameterUnit = "m" | "m/s" | "s" | "ms" | "µs" | "°" | "°/s" | "%" | "Hz";

/** A parameter of a command. */
export interface Parameter {
  readonly unit?: ParameterUnit;
  /** Its only values. */
  readonly options?: readonly number[];
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: true;
  /** It may be left to the vehicle: `null`. Only of `param4`. */
  readonly isOptional?: true;
  /** The place of another row, which it follows. */
  readonly isRow?: true;
  /** The only autopilot that keeps it. Absent when both do. */
  readonly only?: Autopilot;
  /** Of a new row. 0 when absent, null when it is optional. */
  readonly initial?: number;
}

/** The column of a row that a parameter is stored in. */
export type ParameterColumn = "param1" | "param2" | "param3" | "param4" | "lat" | "lng" | "altitude";

/**
 * path: the vehicle flies to the position. target: it is the position of something else, such as what a camera looks at.
 * none: it has no position.
 */
export type PositionKind = "path" | "target" | "none";

export type CommandGroup = "flight" | "order" | "condition" | "camera" | "payload" | "vtol";

/** The number of a MAV_CMD that has texts. */
type CommandId = keyof typeof strings.plan.commands;

/** A MAV_CMD of missions. */
export interface Command {
  readonly id: CommandId;
  readonly group: CommandGroup;
  readonly position: PositionKind;
  /** The autopilots that take it in a mission. */
  readonly takenBy: readonly Autopilot[];
  readonly parameters: Readonly<Partial<Record<ParameterColumn, Parameter>>>;
  /** Further columns of a new row. */
  readonly initial?: Readonly<Partial<Record<ParameterColumn | "frame", number>>>;
}
