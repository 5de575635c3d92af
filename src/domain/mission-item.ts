import { createHash } from "node:crypto";
import { DomainError } from "./errors";

/** MAV_CMD numbers that plans use. */
export const MavCommand = {
  waypoint: 16,
  returnToLaunch: 20,
  land: 21,
  takeoff: 22,
  jump: 177,
  fenceReturnPoint: 5000,
  polygonInclusion: 5001,
  polygonExclusion: 5002,
  circleInclusion: 5003,
  circleExclusion: 5004,
} as const;

/** Commands of missions whose position autopilots store; of the others they keep parameters only. */
export const WITH_POSITION: ReadonlySet<number> = new Set([
  16, 17, 18, 19, 21, 22, 31, 80, 82, 84, 85, 94, 195, 201, 4501,
]);

/** MAV_FRAME numbers that plans use. */
export const MavFrame = {
  global: 0,
  globalRelativeAlt: 3,
  globalRelativeAltInt: 6,
} as const;

/** Where an item stands in what the user stored. */
export interface PlanRow {
  readonly sequence: number;
  /** The name of the geofence that it belongs to. */
  readonly geofence?: string | undefined;
}

/**
 * One item of a mission or a fence, in MAVLink's own terms. Degrees and metres.
 * Its place in the plan is its index: a plan is an array.
 */
export interface MissionItem {
  /** Undefined for an item that nobody stored: an added takeoff, or what a vehicle gave back. */
  readonly row?: PlanRow | undefined;
  readonly command: number;
  readonly frame: number;
  readonly is_current: boolean;
  readonly autocontinue: boolean;
  /** Of a jump, the place of the item that it leads to, from 1 on every vehicle. */
  readonly param1: number;
  readonly param2: number;
  readonly param3: number;
  /** A yaw in most commands, in degrees; NaN leaves it to the vehicle. */
  readonly param4: number;
  /** Latitude, degrees. */
  readonly x_lat: number;
  /** Longitude, degrees. */
  readonly y_long: number;
  /** Metres, in the item's frame. */
  readonly z_alt: number;
}

/** An item that is not the vehicle's current one, after which the next follows, and whose parameters say nothing. */
export const PLAIN_ITEM = {
  is_current: false,
  autocontinue: true,
  param1: 0,
  param2: 0,
  param3: 0,
  param4: 0,
};

/** A MAVLink value as JSON has it: null where it is NaN, "not set". */
export const nanAsNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** MAVLink carries positions as degrees × 1e7 in int32 and all else as float32. */
export const toE7 = (degrees: number): number => Math.round(degrees * 1e7);

/** MAV_FRAME_*_INT (5, 6, 11) means the same as its plain twin on this wire; autopilots return either. */
function plainFrame(frame: number): number {
  if (frame === 5) return 0;
  if (frame === 6) return 3;
  return frame === 11 ? 10 : frame;
}

/**
 * The form in which two plans are compared: exactly what survives the wire and what an autopilot keeps.
 * `is_current` is left out, because it is the vehicle's state and not the plan's.
 */
export function canonicalItem(item: MissionItem): readonly number[] {
  return [
    item.command,
    plainFrame(item.frame),
    item.autocontinue ? 1 : 0,
    Math.fround(item.param1),
    Math.fround(item.param2),
    Math.fround(item.param3),
    Math.fround(item.param4),
    toE7(item.x_lat),
    toE7(item.y_long),
    Math.fround(item.z_alt),
  ];
}

/** SHA-256, in hex, of a plan in canonical form: the same for a stored plan and for its faithful read-back. */
export function planHash(items: readonly MissionItem[]): string {
  return createHash("sha256")
    .update(JSON.stringify(items.map(canonicalItem)))
    .digest("hex");
}

/** How messages name an item of a plan: `row 3`, or by its place from 1 when nobody stored it. */
export function rowName({ row }: Pick<MissionItem, "row">, index: number): string {
  if (!row) return `item ${index + 1}`;
  return row.geofence === undefined
    ? `row ${row.sequence}`
    : `row ${row.sequence} of the geofence "${row.geofence}"`;
}

/** Refuses an order that would fly what an upload left that broke off. */
export const mixedMission = (): DomainError =>
  new DomainError(
    "conflict",
    "The mission was not started: an upload broke off, and the drone holds parts of two missions. Push one first.",
  );
