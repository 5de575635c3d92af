import { z } from "zod";
import { type MissionItem, nanAsNull } from "../../domain/mission-item";
import { ids, type Route, route } from "../../http/route";
import type { Services } from "../../platform/services";
import type { VehicleLinks } from "../../vehicle";
import { droneFor, linkTarget } from "../drones";
import { verifiedUpload } from "./plan-transfers.store";

const Param = z.number().nullable().describe("null: the vehicle chooses.");
const MissionOnBoard = z
  .object({
    state: z
      .enum(["verified", "other", "mixed"])
      .describe(
        "verified: as it was read back after an upload from here. other: by another ground station, changed, or none. " +
          "mixed: parts of two missions, left by an interrupted upload, while the drone flies.",
      ),
    mission_id: z.int().nullable().describe("The mission that was uploaded; null once it is deleted."),
    verified_at: z.string().nullable(),
    hash: z.string().describe("SHA-256, as in the reply of its upload."),
    items: z.array(
      z.object({
        ...{ command: z.int(), frame: z.int(), autocontinue: z.boolean() },
        ...{ param1: Param, param2: Param, param3: Param, param4: Param },
        ...{ lat: z.number(), lng: z.number(), altitude: z.number() },
      }),
    ),
  })
  .meta({ id: "MissionOnBoard" });

interface Deps extends Pick<Services, "config" | "db"> {
  readonly links: Pick<VehicleLinks, "withLink">;
}

/** Reads the mission from the vehicle, and says which upload it is of. */
export const missionOnBoardRoute = ({ config, db, links }: Deps): Route =>
  route({
    method: "get",
    path: "/drone/:drone_id/mission",
    tag: "Drones",
    guard: "user",
    envelope: "B",
    summary: "Read the mission from the vehicle",
    description:
      "Says by `state` and `mission_id` which mission the drone holds. Waits until an upload under way has ended, and until an interrupted upload is undone.",
    params: ids("drone_id"),
    success: { status: 200, schema: MissionOnBoard },
    async handle({ caller, params }) {
      const drone = await droneFor(db, caller.id, "view", params.drone_id);
      const { hash, items, is_mixture } = await links.withLink(linkTarget(config, drone), (link) =>
        link.readMission(),
      );
      const upload = is_mixture ? undefined : await verifiedUpload(db, drone.id, hash);
      return {
        state: is_mixture ? "mixed" : upload ? "verified" : "other",
        mission_id: upload?.mission_id ?? null,
        verified_at: upload?.verified_at.toISOString() ?? null,
        hash,
        items: items.map(toItem),
      } as const;
    },
  });

const toItem = ({ command, frame, autocontinue, x_lat, y_long, z_alt, ...item }: MissionItem) => ({
  ...{ command, frame, autocontinue },
  ...{ param1: nanAsNull(item.param1), param2: nanAsNull(item.param2) },
  ...{ param3: nanAsNull(item.param3), param4: nanAsNull(item.param4) },
  ...{ lat: x_lat, lng: y_long, altitude: z_alt },
});
