/** What a mode makes the vehicle do; several modes of an autopilot share one. */
type Behaviour =
  /** The pilot's throttle stick is thrust. */
  | "manual"
  /** The pilot's throttle stick is a climb rate; sticks centred, it holds its height and, with `position`, its position. */
  | "climb-rate"
  | "stop"
  | "guided"
  | "takeoff"
  | "auto"
  | "return"
  | "land"
  | "circle";

export interface Mode {
  readonly name: string;
  /** HEARTBEAT.custom_mode. */
  readonly number: number;
  readonly behaviour: Behaviour;
  /** Refused without a position estimate. */
  readonly position: boolean;
  /** Whether a ground station may arm in it. */
  readonly armable: boolean;
}

/** Whether the pilot's sticks fly it. */
export const isPiloted = ({ behaviour }: Mode): boolean =>
  behaviour === "manual" || behaviour === "climb-rate";

export interface ModeTable {
  readonly initial: Mode;
  readonly byNumber: ReadonlyMap<number, Mode>;
  /** The mode that failsafes and commands enter for a behaviour. */
  readonly returning: Mode;
  readonly landing: Mode | undefined;
  readonly guided: Mode;
  readonly stopping: Mode;
}

type Row = readonly [name: string, number: number, behaviour: Behaviour, position: boolean, armable: boolean];

function table(
  rows: readonly Row[],
  named: Readonly<Record<"initial" | "returning" | "guided" | "stopping", string>>,
  landing?: string,
): ModeTable {
  const list = rows.map(([name, number, behaviour, position, armable]) => ({
    name,
    number,
    behaviour,
    position,
    armable,
  }));
  const mode = (name: string): Mode => {
    const found = list.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`No mode ${name}`);
    return found;
  };
  return {
    byNumber: new Map(list.map((entry) => [entry.number, entry])),
    initial: mode(named.initial),
    returning: mode(named.returning),
    guided: mode(named.guided),
    stopping: mode(named.stopping),
    landing: landing === undefined ? undefined : mode(landing),
  };
}

export const ardupilotCopterModes = table(
  [
    ["STABILIZE", 0, "manual", false, true],
    ["ACRO", 1, "manual", false, true],
    ["ALT_HOLD", 2, "climb-rate", false, true],
    ["AUTO", 3, "auto", true, false],
    ["GUIDED", 4, "guided", true, true],
    ["LOITER", 5, "climb-rate", true, true],
    ["RTL", 6, "return", true, false],
    ["CIRCLE", 7, "circle", true, false],
    ["LAND", 9, "land", false, false],
    ["DRIFT", 11, "climb-rate", true, true],
    ["SPORT", 13, "climb-rate", false, true],
    ["POSHOLD", 16, "climb-rate", true, true],
    ["BRAKE", 17, "stop", true, false],
    ["THROW", 18, "stop", true, true],
    ["GUIDED_NOGPS", 20, "stop", false, true],
    ["SMART_RTL", 21, "return", true, false],
    ["FLOWHOLD", 22, "climb-rate", false, true],
    ["FOLLOW", 23, "stop", true, false],
    ["ZIGZAG", 24, "climb-rate", true, true],
  ],
  { initial: "STABILIZE", returning: "RTL", guided: "GUIDED", stopping: "BRAKE" },
  "LAND",
);

export const ardupilotRoverModes = table(
  [
    ["MANUAL", 0, "manual", false, true],
    ["ACRO", 1, "manual", false, true],
    ["STEERING", 3, "manual", false, true],
    ["HOLD", 4, "stop", false, true],
    ["LOITER", 5, "stop", true, true],
    ["FOLLOW", 6, "stop", true, true],
    ["SIMPLE", 7, "manual", false, true],
    ["AUTO", 10, "auto", true, true],
    ["RTL", 11, "return", true, true],
    ["SMART_RTL", 12, "return", true, true],
    ["GUIDED", 15, "guided", true, true],
  ],
  { initial: "MANUAL", returning: "RTL", guided: "GUIDED", stopping: "HOLD" },
);

/** PX4 packs its main mode into bits 16–23 and the sub mode of AUTO into bits 24–31. */
export const px4Mode = (main: number, sub = 0): number => ((sub << 24) | (main << 16)) >>> 0;

const px4CopterRows: readonly Row[] = [
  ["MANUAL", px4Mode(1), "manual", false, true],
  ["ALTCTL", px4Mode(2), "climb-rate", false, true],
  ["POSCTL", px4Mode(3), "climb-rate", true, true],
  ["AUTO_TAKEOFF", px4Mode(4, 2), "takeoff", true, true],
  ["AUTO_LOITER", px4Mode(4, 3), "guided", true, true],
  ["AUTO_MISSION", px4Mode(4, 4), "auto", true, true],
  ["AUTO_RTL", px4Mode(4, 5), "return", true, false],
  ["AUTO_LAND", px4Mode(4, 6), "land", false, false],
  ["ACRO", px4Mode(5), "manual", false, true],
  ["OFFBOARD", px4Mode(6), "guided", true, true],
  ["STABILIZED", px4Mode(7), "manual", false, true],
];

const PX4_NAMED = {
  initial: "AUTO_LOITER",
  returning: "AUTO_RTL",
  guided: "AUTO_LOITER",
  stopping: "AUTO_LOITER",
} as const;
export const px4CopterModes = table(px4CopterRows, PX4_NAMED, "AUTO_LAND");

/** A rover's throttle stick is its speed in each mode of its pilot. It takes off and lands in none. */
const px4RoverRows: readonly Row[] = [
  ["MANUAL", px4Mode(1), "manual", false, true],
  ["POSCTL", px4Mode(3), "manual", true, true],
  ["AUTO_LOITER", px4Mode(4, 3), "guided", true, true],
  ["AUTO_MISSION", px4Mode(4, 4), "auto", true, true],
  ["AUTO_RTL", px4Mode(4, 5), "return", true, false],
  ["ACRO", px4Mode(5), "manual", false, true],
  ["OFFBOARD", px4Mode(6), "guided", true, true],
  ["STABILIZED", px4Mode(7), "manual", false, true],
];

export const px4RoverModes = table(px4RoverRows, PX4_NAMED);
