import { z } from "zod";
import { BodyId, Id } from "../../http/route";
import type { Drone } from "./drones.store";

/** Postgres cannot store U+0000 in a text. */
const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !name.includes("\u0000"), "may not contain U+0000");

const Type = z.enum(["physical", "sitl"]);
const Port = z.int().min(1).max(65_535).describe("TCP port of the autopilot.");
const Link = z.enum(["mavlink"]).describe("Protocol of the autopilot.");
const LinkHost = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9:]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9:])?$/, "must be a host name or an IP address")
  .nullable()
  .describe("Host of a simulated drone; null is the service's own simulator. Not for physical drones.");

export const NewDroneRequest = z
  .object({
    type: Type,
    name: Name,
    vehicle_type: z.enum(["copter", "rover"]),
    port: Port.optional(),
    link: Link.optional(),
    link_host: LinkHost.optional(),
  })
  .meta({ id: "NewDroneRequest" });
export type NewDroneRequest = z.output<typeof NewDroneRequest>;

export const DroneChange = NewDroneRequest.omit({ vehicle_type: true })
  .extend({ mission_id: BodyId.nullable().describe("Null unassigns it.") })
  .partial()
  .meta({ id: "DroneChange" });
export type DroneChange = z.output<typeof DroneChange>;

export const DroneReply = z
  .object({
    id: z.int(),
    user_id: z.int(),
    name: z.string(),
    type: Type,
    vehicle_type: z.enum(["copter", "rover"]),
    mission_id: z.int().nullable(),
    ip: z.string().nullable().describe("Address in the drone plane."),
    port: z.int(),
    link: z.enum(["mavlink", "rosbridge"]),
    link_host: z.string().nullable(),
    video_room_token: z.string().nullable().describe("The token with which the drone opens its video room."),
    activation_token: z
      .string()
      .optional()
      .describe("Ten digits. Shown once, in the reply that makes the drone a physical one."),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Drone" });

/** The columns of a reply. Others are secrets or internal: a new column stays out until it is named here. */
const replyColumns = DroneReply.omit({ activation_token: true }).keyof().options;

/** A drone without its activation token, which is a credential and is in no list. */
export const toDroneReply = (drone: Drone) =>
  Object.fromEntries(replyColumns.map((column) => [column, drone[column]]));

/** The same, with the activation token that was just made for it. */
export const toNewDroneReply = (drone: Drone) => ({
  ...toDroneReply(drone),
  ...(drone.activation_token ? { activation_token: drone.activation_token } : {}),
});

export const MissionQuery = z.object({ missionId: Id });
export const ConnectionQuery = z.object({ id: Id.describe("The drone's id.") });
export const ConnectionReply = z.object({ drone_id: z.int() });

/** MAVLink's param_id holds 16 characters. */
const ParamName = z.string().regex(/^[A-Za-z0-9_]{1,16}$/, "each name is 1 to 16 letters, digits or _");

export const ParamsQuery = z.object({
  params: z
    .string()
    .transform((csv) => [
      ...new Set(
        csv
          .split(",")
          .map((name) => name.trim())
          .filter(Boolean),
      ),
    ])
    .pipe(z.array(ParamName).min(1).max(200))
    .describe("Parameter names, comma separated."),
});
export const ParamsReply = z.object({
  params: z.array(z.object({ param_id: z.string(), value: z.number() })),
});
export const PullReply = z.object({
  success: z.boolean().describe("Whether every parameter of the vehicle was received."),
  param_received: z.int(),
});
