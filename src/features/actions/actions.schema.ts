import { z } from "zod";
import { Acknowledgement } from "../../vehicle";

/** A drone climbs no higher than this by a single order: a slip of the keyboard is not a flight level. */
export const HIGHEST_ORDER_METRES = 1_000;
/** Home may lie on a hill above the place that is flown to. */
const LOWEST_ORDER_METRES = -500;
/** A local setpoint further off than this is a mistake in the units. */
const FARTHEST_SETPOINT_METRES = 20_000;
/** MAV_CMD_DO_MOTOR_TEST addresses no more motors on any supported frame. */
const MAX_MOTORS = 16;
const MAX_PARAMS = 100;

/** Numbers that fly are never coerced: an empty field must not become an altitude of 0. */
export const TakeoffAltitude = z.number().positive().max(HIGHEST_ORDER_METRES).describe("Metres above home.");

export const Altitude = z
  .number()
  .min(LOWEST_ORDER_METRES)
  .max(HIGHEST_ORDER_METRES)
  .describe("Metres above home.");

export const Latitude = z.number().min(-90).max(90).describe("Degrees.");
export const Longitude = z.number().min(-180).max(180).describe("Degrees.");

const horizontal = (towards: string) =>
  z
    .number()
    .min(-FARTHEST_SETPOINT_METRES)
    .max(FARTHEST_SETPOINT_METRES)
    .describe(`Metres ${towards} of home.`);

export const East = horizontal("east");
export const North = horizontal("north");

export const MotorId = z.int().min(1).max(MAX_MOTORS).describe("Motor, counted from 1.");
export const Throttle = z.number().min(0).max(100).describe("Throttle in percent.");

export const ParamName = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,16}$/, "a parameter's name has 1 to 16 letters, digits or underscores");
export const ParamValue = z.number().describe("Value; integers are sent as the vehicle's own type.");
export const ParamValues = z
  .record(ParamName, ParamValue)
  .refine((params) => Object.keys(params).length > 0, "name at least one parameter")
  .refine((params) => Object.keys(params).length <= MAX_PARAMS, `at most ${MAX_PARAMS} parameters at once`);

/** Swagger 2.0 has no unions, so the description names the two forms of a mode. */
export const Mode = z
  .unknown()
  .describe("A mode by the autopilot's own name, such as `GUIDED`, or its custom_mode number.")
  .refine(isMode, "expected the name of a mode or its number")
  .transform((mode) => mode as string | number);

function isMode(value: unknown): boolean {
  if (typeof value === "string") return value.trim().length > 0 && value.length <= 64;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

/** A vehicle's answer to a command. */
export const Acknowledged = Acknowledgement.meta({ id: "Acknowledged" });

export const ModeSet = Acknowledged.extend({ mode: z.string() }).meta({ id: "ModeSet" });

export const ReadBackParam = z
  .object({ param_id: z.string(), value: z.number().describe("As read back from the vehicle.") })
  .meta({ id: "ReadBackParam" });

const Warnings = z
  .array(z.string())
  .describe("Status texts about the plan that the vehicle sent after it took it: it may not fly it so.");

export const Adjusted = z
  .object({
    sequence: z.int().nullable().describe("The waypoint's `sequence`; null for a takeoff that was added."),
    field: z.string(),
    sent: z.number().nullable().describe("null: the vehicle chooses."),
    stored: z.number().nullable(),
  })
  .meta({ id: "AdjustedField" });

export const UploadedMission = z
  .object({
    mission_id: z.int(),
    items: z.int().describe("Items that read back as sent; a home placeholder is not counted."),
    takeoff_added: z.boolean().describe("Whether a takeoff row was put before the stored waypoints."),
    hash: z.string().describe("SHA-256 of the plan as read back."),
    adjusted: z.array(Adjusted).describe("What the vehicle rounds or leaves out, field by field."),
    warnings: Warnings,
  })
  .meta({ id: "UploadedMission" });

export const UploadedFence = z
  .object({
    geofences: z.int(),
    items: z.int().describe("Fence items that read back as sent."),
    enforcement: z.object({
      active: z
        .boolean()
        .describe("Whether the vehicle will act on a fence, by what it says; an upload enables nothing."),
      params: z.array(ReadBackParam).describe("The parameters that decide it."),
    }),
    warnings: Warnings,
  })
  .meta({ id: "UploadedFence" });
