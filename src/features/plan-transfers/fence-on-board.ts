import { z } from "zod";
import { fenceAreas } from "../../domain/fence-areas";
import { MavCommand, type MissionItem } from "../../domain/mission-item";
import { Id, ids, type Route, route } from "../../http/route";
import { compareFences, isPartOfFence, toFence } from "../../vehicle";
import { droneFor, linkTarget } from "../drones";
import { geofenceForUpload } from "../geofences";
import type { OnBoardDeps } from "./mission-on-board";
import { comparedPlan, PlanComparison } from "./plan-comparison";

const Position = z.object({ lat: z.number(), lng: z.number() });
const FenceOnBoard = z
  .object({
    is_mixture: z
      .boolean()
      .describe("Parts of two fences, left by an interrupted upload while the drone flies its mission."),
    hash: z.string().describe("SHA-256 of the fence."),
    areas: z.array(
      z.object({
        sequence: z.int().describe("Its place on board, from 1."),
        type: z.enum(["polygon", "circle"]),
        fence_type: z.enum(["inclusion", "exclusion"]),
        points: z.array(Position).describe("A polygon's vertices, or a circle's centre."),
        radius: z.number().nullable().describe("Metres. null of a polygon."),
      }),
    ),
    return_point: Position.nullable().describe("Where ArduPilot returns to when the fence is broken."),
    ...PlanComparison.partial().shape,
    included: z
      .boolean()
      .optional()
      .describe("The geofence is on board, alone or among others, whose areas are then in `extra`."),
    extra: z
      .array(z.int())
      .optional()
      .describe("Areas on board with points that are not the geofence's, by their `sequence`."),
  })
  .meta({ id: "FenceOnBoard" });

/** Reads the fence from the vehicle, and compares it with what an upload of a stored geofence would send. */
export const fenceOnBoardRoute = ({ config, db, links }: OnBoardDeps): Route =>
  route({
    method: "get",
    path: "/drone/:drone_id/onboard/fence",
    tag: "Drones",
    guard: "user",
    envelope: "B",
    summary: "Read the fence from the vehicle, and compare it with a stored geofence",
    description:
      "With `geofence_id` it also says what differs from what `push_geofence` would send now, and whether the geofence is one of those on board. " +
      "A vehicle without a fence has no areas. Waits until an upload under way has ended, and until an interrupted upload is undone.",
    params: ids("drone_id"),
    query: z.object({ geofence_id: Id.optional().describe("Your geofence to compare with.") }),
    success: { status: 200, schema: FenceOnBoard },
    async handle({ caller, params, query }) {
      const drone = await droneFor(db, caller.id, "view", params.drone_id);
      const fence =
        query.geofence_id === undefined
          ? undefined
          : toFence([{ ...(await geofenceForUpload(db, caller.id, query.geofence_id)), enabled: true }]);
      const { hash, items, is_mixture } = await links.withLink(linkTarget(config, drone), (link) =>
        link.readFence(),
      );
      const returnPoint = items.find(({ command }) => command === MavCommand.fenceReturnPoint);
      return {
        ...{ is_mixture, hash },
        areas: fenceAreas(items).map(({ type, fence_type, items: points }, at) => ({
          ...{ sequence: at + 1, type, fence_type, points: points.map(toPosition) },
          radius: type === "circle" ? (points[0]?.param1 ?? null) : null,
        })),
        return_point: returnPoint ? toPosition(returnPoint) : null,
        ...(fence && comparedFence(fence, items)),
      };
    },
  });

function comparedFence(fence: readonly MissionItem[], onBoard: readonly MissionItem[]) {
  const comparison = compareFences(fence, onBoard);
  const extra = new Set(comparison.extra);
  const isPolygon = fenceAreas(fence)[0]?.type === "polygon";
  return {
    ...comparedPlan({
      ...comparison,
      differences: comparison.differences.filter(
        // Each vertex says how many there are.
        ({ field }, at, all) =>
          !isPolygon || field !== "param1" || all.findIndex((one) => one.field === field) === at,
      ),
    }),
    included: isPartOfFence(fence, onBoard),
    extra: fenceAreas(onBoard).flatMap(({ start, items }, at) =>
      items.some((_, index) => extra.has(start + index)) ? [at + 1] : [],
    ),
  };
}

const toPosition = ({ x_lat, y_long }: MissionItem) => ({ lat: x_lat, lng: y_long });
