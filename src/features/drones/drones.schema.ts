import { z } from "zod";
import { BodyId, Id, Text } from "../../http/route";
import type { RowOf } from "../../platform/postgres/row-of";

const Name = Text.trim().min(1).max(200);

/** A `sitl` drone is simulated: its address is an identifier only, and it is never a VPN peer. */
const Type = z.enum(["physical", "sitl"]);
export type DroneType = z.output<typeof Type>;
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

/** The columns of a reply. Others are secrets or internal: a new column stays out until it is named here. */
export const DroneColumns = z.object({
  id: z.int(),
  user_id: z.int().describe("Its owner."),
  name: z.string(),
  type: Type,
  vehicle_type: z.enum(["copter", "rover"]),
  mission_id: z
    .int()
    .nullable()
    .describe("The mission that its executions are of. A push of a mission leaves it as it is."),
  ip: z.string().nullable().describe("Address in the drone plane, unique among live drones."),
  port: z.int().describe("TCP port of its autopilot, at `ip` or, for a simulated one, at `link_host`."),
  link: z.enum(["mavlink", "rosbridge"]),
  link_host: z
    .string()
    .nullable()
    .describe("Where a simulated drone is dialled; the configured simulator when null."),
  video_room_token: z.string().nullable().describe("The token with which the drone opens its video room."),
  created_at: z.string(),
  updated_at: z.string(),
});

export const DroneReply = DroneColumns.extend({
  activation_token: z
    .string()
    .optional()
    .describe("Ten digits. Shown once, in the reply that makes the drone a physical one."),
}).meta({ id: "Drone" });

type DroneRow = RowOf<typeof DroneColumns>;

/** A drone without its activation token, which is a credential and is in no list. */
export const toDroneReply = (drone: DroneRow) =>
  Object.fromEntries(DroneColumns.keyof().options.map((column) => [column, drone[column]]));

/** The same, with the activation token that was just made for it. */
export const toNewDroneReply = (drone: DroneRow & { readonly activation_token: string | null }) => ({
  ...toDroneReply(drone),
  ...(drone.activation_token ? { activation_token: drone.activation_token } : {}),
});

export const MissionQuery = z.object({
  missionId: Id.describe("The mission's id."),
});
export const ConnectionQuery = z.object({ id: Id.describe("The drone's id.") });
export const ConnectionReply = z.object({ drone_id: z.int() });

/** MAVLink's param_id holds 16 characters. */
const ParamName = z.string().regex(/^[A-Za-z0-9_]{1,16}$/, "each name is 1 to 16 letters, digits or _");

const ParamNames = z
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
  .describe("Parameter names, comma separated.");

export const ParamsQuery = z
  .object({
    params: ParamNames.optional(),
    all: z.enum(["true"]).optional().describe("All parameters, in place of names."),
  })
  .refine(
    ({ params, all }) => (params === undefined) !== (all === undefined),
    "name parameters, or say all=true",
  );
export const ParamsReply = z.object({
  params: z.array(
    z.object({ param_id: z.string(), value: z.number().nullable().describe("Null: not a number.") }),
  ),
});
export const PullReply = z.object({
  success: z.boolean().describe("Whether every parameter of the vehicle was received."),
  param_received: z.int(),
  param_total: z.int().describe("How many parameters the vehicle has."),
});

export const ModesReply = z
  .object({
    autopilot: z.enum(["ardupilot", "px4"]),
    vehicle_type: z.enum(["copter", "rover"]).describe("By the vehicle's own word."),
    stopping: z.string().describe("The mode in which it stops and holds its place without a pilot."),
    modes: z
      .array(
        z.object({
          name: z.string().describe("By the autopilot's own name, as in `set_mode` and in telemetry."),
          sticks: z.boolean().describe("Whether the pilot's sticks fly it."),
        }),
      )
      .describe("Those that an order can enter. The vehicle may refuse one as it stands."),
  })
  .meta({ id: "VehicleModes" });
