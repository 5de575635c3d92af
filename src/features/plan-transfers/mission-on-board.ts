import { z } from "zod";
import { Id, ids, type Route, route } from "../../http/route";
import type { Services } from "../../platform/services";
import { compareMissions, type PlanOnBoard, toFlightPlan, type VehicleLinks } from "../../vehicle";
import { droneFor, linkTarget } from "../drones";
import { missionForUpload } from "../missions";
import { ItemOnBoard, toItemOnBoard } from "./item-on-board";
import { comparedPlan, PlanComparison } from "./plan-comparison";
import { verifiedUpload } from "./plan-transfers.store";

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
    items: z.array(ItemOnBoard),
  })
  .meta({ id: "MissionOnBoard" });

const ComparedMission = z
  .object({
    ...MissionOnBoard.shape,
    items: z.array(
      z.object({
        sequence: z.int().describe("Its place on board, from 1, as in the telemetry type `mission`."),
        ...ItemOnBoard.shape,
      }),
    ),
    ...PlanComparison.partial().shape,
    extra: z
      .array(z.int())
      .optional()
      .describe(
        "Items on board that no row has, by their `sequence`; a takeoff that an upload adds is none.",
      ),
  })
  .meta({ id: "ComparedMission" });

export interface OnBoardDeps extends Pick<Services, "config" | "db"> {
  readonly links: Pick<VehicleLinks, "withLink">;
}

const common = {
  method: "get",
  tag: "Drones",
  guard: "user",
  envelope: "B",
  params: ids("drone_id"),
} as const;

/** Reads the mission from the vehicle, and says which upload it is of. */
export const missionOnBoardRoute = ({ config, db, links }: OnBoardDeps): Route =>
  route({
    ...common,
    path: "/drone/:drone_id/mission",
    summary: "Read the mission from the vehicle",
    description:
      "Says by `state` and `mission_id` which mission the drone holds. Waits until an upload under way has ended, and until an interrupted upload is undone.",
    success: { status: 200, schema: MissionOnBoard },
    async handle({ caller, params }) {
      const drone = await droneFor(db, caller.id, "view", params.drone_id);
      const onBoard = await links.withLink(linkTarget(config, drone), (link) => link.readMission());
      return replyOf(db, drone.id, onBoard);
    },
  });

/** Reads the mission from the vehicle, and compares it with what an upload of a stored one would send. */
export const comparedMissionRoute = ({ config, db, links }: OnBoardDeps): Route =>
  route({
    ...common,
    path: "/drone/:drone_id/onboard/mission",
    summary: "Compare the mission on the vehicle with a stored one",
    description:
      "As `GET /drone/:drone_id/mission`. With `mission_id` it also says what differs from what an upload of that mission would send now. " +
      "What the vehicle is known to round or leave out is no difference. The function that verifies uploads decides.",
    query: z.object({ mission_id: Id.optional().describe("Your mission to compare with.") }),
    success: { status: 200, schema: ComparedMission },
    async handle({ caller, params, query }) {
      const drone = await droneFor(db, caller.id, "view", params.drone_id);
      const mission =
        query.mission_id === undefined ? undefined : await missionForUpload(db, caller.id, query.mission_id);
      const { onBoard, comparison } = await links.withLink(linkTarget(config, drone), async (link) => {
        const plan = mission && toFlightPlan(mission.mission_points, link.vehicle.kind);
        const onBoard = await link.readMission();
        return { onBoard, comparison: plan && compareMissions(plan, onBoard.items, link.vehicle.autopilot) };
      });
      const reply = await replyOf(db, drone.id, onBoard);
      return {
        ...reply,
        items: reply.items.map((item, at) => ({ sequence: at + 1, ...item })),
        ...(comparison && { ...comparedPlan(comparison), extra: comparison.extra.map((at) => at + 1) }),
      };
    },
  });

async function replyOf(db: OnBoardDeps["db"], droneId: number, { hash, items, is_mixture }: PlanOnBoard) {
  const upload = is_mixture ? undefined : await verifiedUpload(db, droneId, hash);
  return {
    state: is_mixture ? "mixed" : upload ? "verified" : "other",
    mission_id: upload?.mission_id ?? null,
    verified_at: upload?.verified_at.toISOString() ?? null,
    hash,
    items: items.map(toItemOnBoard),
  } as const;
}
