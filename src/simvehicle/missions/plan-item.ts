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

/** A parameter as the autopilot keeps it; written apart from the gateway's rules, which are tested against these. */
type Rule = (sent: number) => number;
type Rules = Readonly<Record<number, Readonly<Partial<Record<1 | 2 | 3 | 4, Rule>>>>>;

const exact: Rule = (sent) => sent;
const whole: Rule = Math.trunc;
const dropped: Rule = () => 0;
const flag: Rule = (sent) => (sent > 0 ? 1 : 0);
/** An unsigned 16-bit number (Mission_Command.p1). */
const word: Rule = (sent) => Math.trunc(sent) & 0xffff;
const direction: Rule = (sent) => (sent < 0 ? -1 : 1);
const byte: Rule = (sent) => Math.trunc(sent) & 0xff;
/** A byte holds the turns of a loiter: whole ones, or parts of one in 256ths. */
const turns: Rule = (sent) => (sent > 0 && sent < 1 ? Math.trunc(sent * 256) / 256 : word(sent));
/** Another byte holds its radius: metres, or tens of them. */
const radius: Rule = (sent) => (Math.abs(sent) > 255 ? Math.trunc(sent / 10) * 10 : Math.trunc(sent));
const yaw: Rule = (sent) => ((sent % 360) + 360) % 360;

/** What ArduPilot keeps of param1 to param4 of these commands; of others that it knows it keeps no parameter. */
const ARDUPILOT: Rules = {
  16: { 1: word },
  17: { 3: whole },
  18: { 1: turns, 3: radius, 4: flag },
  19: { 1: word, 3: direction, 4: flag },
  20: {},
  21: { 1: word, 4: direction },
  22: { 1: word },
  30: { 1: word },
  31: { 2: whole, 4: flag },
  82: { 1: word },
  92: { 1: word },
  93: { 1: exact, 2: whole, 3: whole, 4: whole },
  94: { 1: exact },
  112: { 1: exact },
  114: { 1: exact },
  115: { 1: exact, 2: exact, 3: whole, 4: whole },
  177: { 1: whole, 2: whole },
  178: { 1: whole, 2: exact, 3: exact },
  179: { 1: word },
  181: { 1: exact, 2: exact },
  182: { 1: exact, 2: exact, 3: exact },
  183: { 1: whole, 2: whole },
  184: { 1: exact, 2: exact, 3: exact, 4: exact },
  189: {},
  191: {},
  193: { 1: exact },
  195: { 1: whole },
  197: {},
  201: { 1: word },
  203: { 1: byte, 2: byte, 3: (sent) => (Math.trunc(sent) << 24) >> 24, 4: byte },
  205: { 1: exact, 2: exact, 3: exact },
  206: { 1: exact, 3: whole },
  207: { 1: word },
  208: { 1: word },
  211: { 1: exact, 2: exact },
  212: { 1: exact },
  218: { 1: exact, 2: exact },
  222: { 1: exact, 2: exact, 3: exact, 4: exact },
  600: { 1: exact },
  601: { 1: exact, 2: exact },
  2000: { 1: exact, 2: exact, 3: exact },
  2001: { 1: exact },
};

/** ArduPilot's frame for what it was sent: absolute, above home, above terrain; or undefined. */
function ardupilotFrame(frame: number): number | undefined {
  if (frame === 0 || frame === 2 || frame === 5) return 0;
  if (frame === 3 || frame === 6) return 3;
  return frame === 10 || frame === 11 ? 10 : undefined;
}

/**
 * An item as ArduPilot stores it and returns it on read-back. It packs each command into a few
 * bytes: parameters without a meaning to it come back as 0, altitudes in whole centimetres, autocontinue as
 * 1, commands without a position with frame and position 0 (AP_Mission::mavlink_int_to_mission_cmd and back).
 */
export function storedByArdupilot(sent: PlanItem): ConversionResult {
  const rules = ARDUPILOT[sent.command];
  if (!rules) return { refused: MissionResult.UNSUPPORTED };
  // A landing takes any number as its direction.
  const kept = sent.command === Command.NAV_LAND ? PARAMS.slice(0, 1) : PARAMS.filter((at) => rules[at]);
  for (const at of kept) if (Number.isNaN(sent[`param${at}`])) return { refused: invalidParam(at) };
  const item = { ...sent, autocontinue: 1, ...storedParams(sent, rules, dropped) };
  if (!LOCATED.has(sent.command))
    return { item: { ...item, frame: 0, x: 0, y: 0, z: 0, ...numbersInPosition(sent) } };
  const fault = positionFault(sent);
  if (fault !== undefined) return { refused: fault };
  const frame = ardupilotFrame(sent.frame);
  if (frame === undefined) return { refused: MissionResult.UNSUPPORTED_FRAME };
  const centimetres = Math.trunc(Math.fround(sent.z * 100));
  return { item: { ...item, frame, z: Math.fround(centimetres * 0.01) } };
}

/** What ArduPilot keeps where others have a position: a camera's shot and the sender's number of it, a gimbal's mode. */
function numbersInPosition({ command, x, y, z }: PlanItem): Partial<PlanItem> {
  if (command === Command.DO_DIGICAM_CONTROL) return { x: x & 0xff, y: y & 0xff };
  return command === Command.DO_MOUNT_CONTROL ? { z: z & 0b111 } : {};
}

const invalidParam = (at: number): MissionResult => (MissionResult.INVALID_PARAM1 + at - 1) as MissionResult;

/** A position that is no position, by MAV_MISSION_RESULT. */
function positionFault({ x, y, z }: PlanItem): MissionResult | undefined {
  if (Math.abs(x) > LATITUDE_LIMIT) return MissionResult.INVALID_PARAM5_X;
  if (Math.abs(y) > LONGITUDE_LIMIT) return MissionResult.INVALID_PARAM6_Y;
  if (!Number.isFinite(z) || Math.abs(z) >= 83_000) return MissionResult.INVALID_PARAM7;
  return undefined;
}

const PX4_NAVIGATION = new Set([16, 17, 19, 20, 21, 22, 31, 80, 84, 85, 93]);
const PX4_ACTIONS = new Set([
  112, 177, 178, 179, 187, 189, 195, 197, 200, 201, 203, 205, 206, 211, 212, 214, 300, 530, 531, 1000, 2000,
  2001, 2500, 2501, 3000,
]);

/** Commands in which PX4 refuses a position. */
const PX4_WITHOUT_POSITION: ReadonlySet<number> = new Set([20, 178]);
/** What PX4 keeps in another form than it was sent in. */
const PX4: Rules = {
  16: { 3: dropped, 4: yaw },
  17: { 4: yaw },
  19: { 2: flag, 4: flag },
  21: { 1: dropped, 2: whole, 4: yaw },
  22: { 1: dropped, 4: yaw },
  31: { 1: flag, 4: flag },
  177: { 1: whole, 2: whole },
};

/**
 * An item as PX4 1.18 stores it: mostly as it was sent, when it knows the command and the frame, with yaws from 0 on. It
 * refuses a position where the command has none, and stores a delay as NAV_DELAY.
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
  const command = sent.command === Command.CONDITION_DELAY ? Command.NAV_DELAY : sent.command;
  return { item: { ...sent, command, ...storedParams(sent, PX4[sent.command] ?? {}, exact) } };
}

const PARAMS = [1, 2, 3, 4] as const;

/** The parameters by their rules; `usual` is for those without one. */
const storedParams = (sent: PlanItem, rules: Rules[number], usual: Rule) => ({
  param1: (rules[1] ?? usual)(sent.param1),
  param2: (rules[2] ?? usual)(sent.param2),
  param3: (rules[3] ?? usual)(sent.param3),
  param4: (rules[4] ?? usual)(sent.param4),
});
