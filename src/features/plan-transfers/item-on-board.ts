import { z } from "zod";
import { type MissionItem, nanAsNull } from "../../domain/mission-item";

const Param = z.number().nullable().describe("null: the vehicle chooses.");

/** One item of a mission that was read from a vehicle. */
export const ItemOnBoard = z.object({
  ...{ command: z.int(), frame: z.int(), autocontinue: z.boolean() },
  ...{ param1: Param, param2: Param, param3: Param, param4: Param },
  ...{ lat: z.number(), lng: z.number(), altitude: z.number() },
});

export const toItemOnBoard = ({
  command,
  frame,
  autocontinue,
  x_lat,
  y_long,
  z_alt,
  ...item
}: MissionItem) => ({
  ...{ command, frame, autocontinue },
  ...{ param1: nanAsNull(item.param1), param2: nanAsNull(item.param2) },
  ...{ param3: nanAsNull(item.param3), param4: nanAsNull(item.param4) },
  ...{ lat: x_lat, lng: y_long, altitude: z_alt },
});
