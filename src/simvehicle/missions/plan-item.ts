import { common } from "../../vehicle/mavlink/wire/messages";

/** A mission or fence item as MISSION_ITEM_INT carries it: positions in degrees × 1e7. */
export interface PlanItem {
  readonly command: number;
  readonly frame: number;
  readonly autocontinue: number;
  readonly param1: number;
  readonly param2: number;
  readonly param3: number;
  readonly param4: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export const MissionResult = common.MavMissionResult;
export type MissionResult = common.MavMissionResult;

export const Command = common.MavCmd;

const LATITUDE_LIMIT = 90e7;
const LONGITUDE_LIMIT = 180e7;

/** The item as the autopilot keeps it, or why it refuses it. */
type ConversionResult = { readonly item: PlanItem } | { readonly refused: MissionResult };

/** Commands whose x, y, z ArduPilot keeps (AP_Mission::stored_in_location). */
const LOCATED = new Set([16, 17, 18, 19, 21, 22, 30, 31, 82, 92, 94, 179, 189, 191, 195, 201]);
/** Which of param1 to param4 ArduPilot keeps of these commands; of others that it knows it keeps no parameter. */
const KEPT_PARAMS: Readonly<Record<number, readonly number[]>> = {
  16: [1],
  17: [3],
  18: [1, 3, 4],
  19: [1, 3, 4],
  20: [],
  21: [1],
  22: [1],
  30: [1],
  31: [2, 4],
  82: [1],
  92: [1],
  93: [1, 2, 3, 4],
  94: [1],
  112: [1],
  114: [1],
  115: [1, 2, 3, 4],
  177: [1, 2],
  178: [1, 2, 3],
  179: [1],
  181: [1, 2],
  182: [1, 2, 3],
  183: [1, 2],
  184: [1, 2, 3, 4],
  189: [],
  191: [],
  193: [1],
  195: [],
  197: [],
  201: [1],
  203: [1, 2, 3, 4],
  205: [1, 2, 3],
  206: [1, 3],
  207: [1],
  208: [1],
  211: [1, 2],
  212: [1],
  218: [1, 2],
  222: [1, 2, 3, 4],
  600: [1],
  601: [1, 2],
  2000: [1, 2, 3],
  2001: [1],
};
/** Stored as an unsigned 16-bit number (Mission_Command.p1): fractions are cut off. */
const WHOLE_PARAM1 = new Set([16, 18, 19, 21, 22, 30, 82, 92, 179, 201, 207, 208]);

/** ArduPilot's frame for what it was sent: absolute, above home, above terrain; or undefined. */
function ardupilotFrame(frame: number): number | undefined {
  if (frame === 0 || frame === 2 || frame === 5) return 0;
  if (frame === 3 || frame === 6) return 3;
  return frame === 10 || frame === 11 ? 10 : undefined;
}

/** A byte holds the turns of a loiter: whole ones, or parts of one in 256ths. */
function ardupilotParam1(command: number, value: number): number {
  if (command === Command.NAV_LOITER_TURNS && value > 0 && value < 1) return Math.trunc(value * 256) / 256;
  return WHOLE_PARAM1.has(command) ? Math.trunc(value) & 0xffff : value;
}

/** Another byte holds its radius: metres, or tens of them. */
function ardupilotParam3(command: number, value: number): number {
  if (command === Command.NAV_LOITER_TIME) return value < 0 ? -1 : 1;
  if (command !== Command.NAV_LOITER_TURNS) return value;
  return Math.abs(value) > 255 ? Math.trunc(value / 10) * 10 : Math.trunc(value);
}

/**
 * An item as ArduPilot stores it and returns it on read-back. It packs each command into a few
 * bytes: parameters without a meaning to it come back as 0, altitudes in whole centimetres, autocontinue as
 * 1, commands without a position with frame and position 0 (AP_Mission::mavlink_int_to_mission_cmd and back).
 */
export function storedByArdupilot(sent: PlanItem): ConversionResult {
  const kept = KEPT_PARAMS[sent.command];
  if (!kept) return { refused: MissionResult.UNSUPPORTED };
  const params = [sent.param1, sent.param2, sent.param3, sent.param4];
  for (const at of kept) {
    if (Number.isNaN(params[at - 1])) return { refused: invalidParam(at) };
  }
  const [param1 = 0, param2 = 0, param3 = 0, param4 = 0] = params.map((value, at) =>
    kept.includes(at + 1) ? value : 0,
  );
  const item = {
    ...sent,
    autocontinue: 1,
    param1: ardupilotParam1(sent.command, param1),
    param2,
    param3: ardupilotParam3(sent.command, param3),
    // A landing keeps only the direction in which it loiters, and that as ±1.
    param4: sent.command === Command.NAV_LAND ? (sent.param4 < 0 ? -1 : 1) : param4,
  };
  if (!LOCATED.has(sent.command)) return { item: { ...item, frame: 0, x: 0, y: 0, z: 0 } };
  const fault = positionFault(sent);
  if (fault !== undefined) return { refused: fault };
  const frame = ardupilotFrame(sent.frame);
  if (frame === undefined) return { refused: MissionResult.UNSUPPORTED_FRAME };
  const centimetres = Math.trunc(Math.fround(sent.z * 100));
  return { item: { ...item, frame, z: Math.fround(centimetres * 0.01) } };
}

const invalidParam = (at: number): MissionResult => (MissionResult.INVALID_PARAM1 + at - 1) as MissionResult;

/** A position that is no position, by MAV_MISSION_RESULT. */
function positionFault({ x, y, z }: PlanItem): MissionResult | undefined {
  if (Math.abs(x) > LATITUDE_LIMIT) return MissionResult.INVALID_PARAM5_X;
  if (Math.abs(y) > LONGITUDE_LIMIT) return MissionResult.INVALID_PARAM6_Y;
  if (!Number.isFinite(z) || Math.abs(z) >= 83_000) return MissionResult.INVALID_PARAM7;
  return undefined;
}

const PX4_NAVIGATION = new Set([16, 17, 18, 19, 20, 21, 22, 31, 80, 84, 85, 93]);
const PX4_ACTIONS = new Set([
  112, 114, 115, 177, 178, 179, 183, 187, 189, 195, 197, 200, 201, 203, 205, 206, 211, 212, 214, 300, 530,
  531, 1000, 2000, 2001, 2500, 2501, 3000,
]);

/** Commands in which PX4 refuses a position, and those in which it keeps a yaw. */
const PX4_WITHOUT_POSITION: ReadonlySet<number> = new Set([20, 178]);
const PX4_YAW: ReadonlySet<number> = new Set([16, 17, 21, 22]);

/**
 * An item as PX4 stores it: as it was sent, when it knows the command and the frame, with yaws from 0 on. It refuses a
 * position where the command has none.
 */
export function storedByPx4(sent: PlanItem): ConversionResult {
  const navigation = PX4_NAVIGATION.has(sent.command);
  if (!navigation && !PX4_ACTIONS.has(sent.command)) return { refused: MissionResult.UNSUPPORTED };
  if (![0, 2, 3, 5, 6].includes(sent.frame)) return { refused: MissionResult.UNSUPPORTED_FRAME };
  if (PX4_WITHOUT_POSITION.has(sent.command) && sent.x !== 0)
    return { refused: MissionResult.INVALID_PARAM5_X };
  if (navigation && sent.frame !== 2) {
    const fault = positionFault(sent);
    if (fault !== undefined) return { refused: fault };
  }
  return { item: PX4_YAW.has(sent.command) ? { ...sent, param4: ((sent.param4 % 360) + 360) % 360 } : sent };
}
