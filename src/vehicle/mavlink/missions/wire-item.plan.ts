import { MavCommand, MavFrame, type MissionItem, PLAIN_ITEM, toE7 } from "../../../domain/mission-item";

export type Autopilot = "ardupilot" | "px4";

/** MISSION_ITEM_INT without its addressing: one row on the wire. */
export interface WireItem
  extends Pick<MissionItem, "command" | "frame" | "param1" | "param2" | "param3" | "param4"> {
  readonly seq: number;
  readonly current: number;
  readonly autocontinue: number;
  /** Degrees × 1e7. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export const toWire = (item: MissionItem, seq: number): WireItem => {
  const { row, is_current, autocontinue, x_lat, y_long, z_alt, ...fields } = item;
  return {
    ...fields,
    seq,
    current: is_current ? 1 : 0,
    autocontinue: autocontinue ? 1 : 0,
    x: toE7(x_lat),
    y: toE7(y_long),
    z: z_alt,
  };
};

export const fromWire = (item: WireItem): MissionItem => ({
  command: item.command,
  frame: item.frame,
  is_current: item.current === 1,
  autocontinue: item.autocontinue !== 0,
  param1: item.param1,
  param2: item.param2,
  param3: item.param3,
  param4: item.param4,
  x_lat: item.x / 1e7,
  y_long: item.y / 1e7,
  z_alt: item.z,
});

/**
 * The plan as it goes out, of items that the autopilot takes. ArduPilot keeps item 0 for home and overwrites whatever is sent there, so a
 * placeholder goes before the plan; PX4 has none, and counts the targets of jumps from 0.
 */
export function wireMission(
  plan: readonly MissionItem[],
  autopilot: Autopilot,
  home: { lat: number; lng: number; altitude: number },
): WireItem[] {
  if (autopilot === "px4") return plan.map((item) => moveJump(item, -1)).map(toWire);
  const placeholder: MissionItem = {
    ...PLAIN_ITEM,
    command: MavCommand.waypoint,
    frame: MavFrame.global,
    x_lat: home.lat,
    y_long: home.lng,
    z_alt: home.altitude,
  };
  return [placeholder, ...plan].map(toWire);
}

/** The plan as it came back, without what ArduPilot keeps at item 0. */
export const missionFromWire = (items: readonly WireItem[], autopilot: Autopilot): MissionItem[] =>
  autopilot === "ardupilot"
    ? items.slice(1).map(fromWire)
    : items.map(fromWire).map((item) => moveJump(item, 1));

const moveJump = (item: MissionItem, by: number): MissionItem =>
  item.command === MavCommand.jump ? { ...item, param1: item.param1 + by } : item;

/** A fence point as it goes out: of the parameters only the first means something in it, and PX4 refuses the others. */
export const wireFence = (fence: readonly MissionItem[]): WireItem[] =>
  fence.map((point) => ({ ...point, param2: 0, param3: 0, param4: 0 })).map(toWire);
