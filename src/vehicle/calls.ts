import { z } from "zod";

/** JSON has no NaN, which PX4 uses for "keep what you have": it travels between gateways as null. */
const Float = z.union([z.number(), z.nan(), z.null().transform(() => Number.NaN)]);
const Integer = z.int();

/** See `MissionItem`. */
const Item = z.object({
  row: z.object({ sequence: Integer, geofence: z.string().optional() }).optional(),
  command: Integer,
  frame: Integer,
  is_current: z.boolean(),
  autocontinue: z.boolean(),
  param1: Float,
  param2: Float,
  param3: Float,
  param4: Float,
  x_lat: Float,
  y_long: Float,
  z_alt: Float,
});
export const Plan = z.array(Item);

/**
 * The vehicle's answer to a command.
 *
 * A setpoint has no MAV_RESULT. Its `result` is TARGET_CONFIRMED when the vehicle reports this target as its own, or
 * TARGET_UNCONFIRMED when it was sent in guided mode to a vehicle that does not report its target; so is that of a position
 * which PX4 acknowledged without reporting it as its target.
 */
export const Acknowledgement = z.object({
  result: z
    .string()
    .describe(
      "Name of the MAV_RESULT; TARGET_CONFIRMED where a vehicle shows its target instead of answering.",
    ),
  status_text: z.array(z.string()).describe("Status texts that the vehicle sent meanwhile."),
});
export type Acknowledgement = z.output<typeof Acknowledgement>;

export const ModeSet = Acknowledgement.extend({ mode: z.string() });

/** A parameter as read back from the vehicle. */
const Param = z.object({ param_id: z.string(), value: Float });
export type Param = z.output<typeof Param>;

const VerifiedPlan = z.object({
  /** SHA-256 of the plan as read back; see `planHash`. */
  hash: z.string(),
  items: Plan,
});
export type VerifiedPlan = z.output<typeof VerifiedPlan>;

/** The plan that a vehicle holds now. `is_mixture`: parts of two plans, which an upload left that broke off. */
const PlanOnBoard = VerifiedPlan.extend({ is_mixture: z.boolean() });
export type PlanOnBoard = z.output<typeof PlanOnBoard>;

/** See `Adjustment`. */
const Adjusted = z.object({
  sequence: Integer.nullable(),
  field: z.string(),
  sent: Float,
  stored: Float,
});

/** Status texts about the plan that the vehicle sent after it took it: it may not fly it, or not all of it. */
const Warnings = z.array(z.string());

const MissionUpload = VerifiedPlan.extend({
  /** What the vehicle stores in another form than it was sent in. */
  adjusted: z.array(Adjusted),
  warnings: Warnings,
});
export type MissionUpload = z.output<typeof MissionUpload>;

const FlightState = z.object({
  armed: z.boolean(),
  mode: z.string(),
  /** Armed, and in a mode that carries out the mission on board. */
  flies_mission: z.boolean(),
});
export type FlightState = z.output<typeof FlightState>;

const FenceUpload = z.object({
  items: z.int(),
  warnings: Warnings,
  enforcement: z.object({
    /** Whether the vehicle will act on the fence, by what it says: an upload enables nothing by itself. */
    active: z.boolean(),
    /** The parameters that decide it: FENCE_ENABLE, FENCE_AUTOENABLE, FENCE_ACTION and FENCE_TYPE, or GF_ACTION. */
    params: z.array(Param),
  }),
});
export type FenceUpload = z.output<typeof FenceUpload>;

interface Call {
  readonly args: z.ZodTuple;
  readonly result: z.ZodType;
  /** It changes nothing on the vehicle, so it may be sent again when its answer was lost. */
  readonly repeatable?: true;
}

const Nothing = z.tuple([]);

/** `force`: also when the vehicle is flying the mission, or is outside of the fence. */
const Force = z.object({ force: z.boolean().optional() });

/** The table of calls on a vehicle's link: local and remote links are made from it. */
export const vehicleCalls = {
  /** `force`: also in a mode in which arming alone sets the vehicle off. The result says the mode that it is armed in. */
  arm: { args: z.tuple([z.object({ force: z.boolean().optional() }).optional()]), result: ModeSet },
  /** The vehicle's preflight checks that fail now, in its own words. Empty when it may be armed, or does not tell. */
  preflightFailures: { args: Nothing, result: z.array(z.string()), repeatable: true },
  /** `force`: also in the air, where the vehicle falls. */
  disarm: {
    args: z.tuple([z.object({ force: z.boolean().optional() }).optional()]),
    result: Acknowledgement,
  },
  /** Guided mode, then NAV_TAKEOFF. Metres above home. */
  takeoff: { args: z.tuple([z.number()]), result: Acknowledgement },
  land: { args: Nothing, result: ModeSet },
  /** A mode by the autopilot's own name (case is ignored) or by its custom_mode number. */
  setMode: { args: z.tuple([z.union([z.string(), z.number()])]), result: ModeSet },
  /** Spin one motor, numbered from 1, at a throttle in percent for a bounded time. */
  motorTest: { args: z.tuple([z.number(), z.number()]), result: Acknowledgement },
  /** Local ENU setpoint in metres from home, z up. */
  move: {
    args: z.tuple([z.object({ x: z.number(), y: z.number(), z: z.number() })]),
    result: Acknowledgement,
  },
  /** Degrees, and metres above home. */
  goTo: {
    args: z.tuple([z.object({ lat: z.number(), lng: z.number(), altitude: z.number() })]),
    result: Acknowledgement,
  },

  /**
   * Upload, read back, compare. The plan is as the vehicle shall fly it, without a home placeholder. PX4 is told to begin
   * with its first item, unless it is flying. A refused plan is replaced by the one that was on board.
   * `mission_id` is the stored mission, for the record of the transfer.
   */
  uploadMission: {
    args: z.tuple([Plan, Force.extend({ mission_id: z.int().optional() }).optional()]),
    result: MissionUpload,
  },
  /** The plan now on the vehicle, without the home placeholder, and its hash. */
  readMission: { args: Nothing, result: PlanOnBoard, repeatable: true },
  /** The mission on board begins with its first item. */
  rewindMission: { args: Nothing, result: z.void() },
  /** Asks for a heartbeat when the last one showed a disarmed vehicle, which may be armed since. */
  flightState: { args: Nothing, result: FlightState, repeatable: true },
  /** Replace the whole fence; an empty one clears it. */
  uploadFence: { args: z.tuple([Plan, Force.optional()]), result: FenceUpload },
  /** The fence now on the vehicle, and its hash. */
  readFence: { args: Nothing, result: PlanOnBoard, repeatable: true },

  readParams: { args: z.tuple([z.array(z.string())]), result: z.array(Param), repeatable: true },
  /** Write one parameter and read it back. */
  writeParam: { args: z.tuple([z.string(), z.number()]), result: Param },
  /** Request the whole parameter list. `params` are those that came, in the vehicle's order; `total` is how many it has. */
  pullParams: {
    args: Nothing,
    result: z.object({ params: z.array(Param), total: z.int() }),
    repeatable: true,
  },
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof vehicleCalls;
export const CALL_NAMES = Object.keys(vehicleCalls) as [CallName, ...CallName[]];

/** The functions that the table describes. */
export type Calls = {
  readonly [Name in CallName]: (
    ...args: z.output<(typeof vehicleCalls)[Name]["args"]>
  ) => Promise<z.output<(typeof vehicleCalls)[Name]["result"]>>;
};

/** Makes a function for each call of the table. */
export const implementCalls = (
  make: (name: CallName, call: Call) => (...args: unknown[]) => Promise<unknown>,
): Calls =>
  Object.fromEntries(CALL_NAMES.map((name) => [name, make(name, vehicleCalls[name])])) as unknown as Calls;
