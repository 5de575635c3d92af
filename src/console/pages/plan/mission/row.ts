import type { components } from "../../../../client/api-types";
import type { LatLng } from "../../../map/features";
import { type Command, commandOf, type ParameterColumn, type PositionKind, RETURN } from "../commands";

type StoredPoint = components["schemas"]["MissionPoint"];

/** A row of a mission as it is edited. Its place is its index; jumps name places from 1. */
export interface Row extends Omit<StoredPoint, "id" | "mission_id" | "sequence"> {
  /** It is the same row after every edit, and after a reload of the draft. Positive. */
  readonly key: number;
}

/** A mission as it is edited. */
export interface MissionContent {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** MAV_FRAME numbers, and what a height is above in each. */
export const frames = { sea: 0, none: 2, home: 3, terrain: 10 } as const;

export const toRows = (points: readonly StoredPoint[]): Row[] =>
  points.map(({ id: _, mission_id: __, sequence: ___, ...point }, at) => ({ ...point, key: at + 1 }));

/** As the API takes it, which numbers the points by their places. */
export const toPoint = ({ key: _, ...row }: Row) => row;

export const nextKey = (rows: readonly Row[]): number =>
  rows.reduce((highest, { key }) => Math.max(highest, key), 0) + 1;

/** The height of a first row, metres above home. */
const FIRST_HEIGHT = 30;

/** A new row. Height and frame are those of the positioned row before it. */
export function newRow(
  command: Command,
  key: number,
  position: LatLng | undefined,
  before: Row | undefined,
): Row {
  const isPlaced = command.position !== "none";
  const columns: ParameterColumn[] = ["param1", "param2", "param3", "param4"];
  const parameters = columns.map((column) => {
    const parameter = command.parameters[column];
    return [column, parameter?.initial ?? (parameter?.isOptional ? null : 0)];
  });
  return {
    ...{ key, command: command.id },
    ...(position && isPlaced ? { lat: position.lat, lng: position.lng } : { lat: 0, lng: 0 }),
    altitude: isPlaced ? before?.altitude || FIRST_HEIGHT : (command.parameters.altitude?.initial ?? 0),
    frame: isPlaced ? (before?.frame ?? frames.home) : frames.none,
    ...(Object.fromEntries(parameters) as Pick<Row, "param1" | "param2" | "param3" | "param4">),
    ...{ type: "fly", label: null, is_current: false, autocontinue: true },
    ...command.initial,
  };
}

/** A command that is not in the table may have a position. */
export const positionKind = ({ command, frame }: Row): PositionKind =>
  commandOf(command)?.position ?? (frame === frames.none ? "none" : "target");

/** Whether it stands on the map: without a position, a take-off or landing is where the vehicle is. */
export const isOnMap = (row: Row): boolean =>
  positionKind(row) !== "none" && (row.lat !== 0 || row.lng !== 0);

/** Whether the vehicle flies to its position. */
export const isOnPath = (row: Row): boolean => isOnMap(row) && positionKind(row) === "path";

export const isReturn = ({ command }: Row): boolean => command === RETURN;
