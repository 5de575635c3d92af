import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { MavCommand, MavFrame, type MissionItem, mixedMission, nanAsNull } from "../../domain/mission-item";
import { BodyId } from "../../http/route";
import type { VehicleCalls } from "../../vehicle";
import { toFlightPlan } from "../../vehicle";
import { type Action, action, joinSentences, warningText } from "./action";
import {
  Acknowledged,
  HIGHEST_ORDER_METRES,
  ModeSet,
  TakeoffAltitude,
  UploadedMission,
} from "./actions.schema";

/** Put a stored mission on a drone, and set off to fly it. */
export const missionActions: readonly Action[] = [
  action({
    path: "push_mission",
    summary: "Upload a mission and verify it",
    description:
      "Waypoints go up as stored; a takeoff row comes first only when the first waypoint is not one, and never for a rover. " +
      "The plan is read back and compared; `adjusted` lists what the drone rounds or leaves out. A plan that is refused is named by its row, and the plan before it is put back. " +
      "A drone that is flying its mission refuses it unless `force` is true.",
    body: z.object({
      mission_id: BodyId,
      force: z.boolean().default(false).describe("Replace the plan even while the drone flies it."),
    }),
    result: UploadedMission,
    async run(order, { mission_id, force }) {
      const waypoints = await order.plans.waypoints(mission_id);
      if (waypoints.length === 0) {
        throw new DomainError("invalid_input", "The mission has no waypoints: there is nothing to upload.");
      }
      const { plan, verified } = await order.onLink(async (link) => {
        const plan = toFlightPlan(waypoints, link.vehicle.kind);
        return { plan, verified: await link.uploadMission(plan, { force, mission_id }) };
      });
      const { adjusted, warnings, hash } = verified;
      const items = verified.items.length;
      return {
        message: joinSentences(
          `The mission is on the drone: ${items} items, read back and compared.`,
          adjusted.length > 0 && `The drone stores ${adjusted.length} of their fields in another form.`,
          warningText(warnings),
        ),
        result: {
          mission_id,
          items,
          takeoff_added: plan.length > waypoints.length,
          hash,
          adjusted: adjusted.map((field) => ({
            ...field,
            sent: nanAsNull(field.sent),
            stored: nanAsNull(field.stored),
          })),
          warnings,
        },
      };
    },
  }),
  action({
    path: "start_mission",
    summary: "Take off to fly the mission on board",
    description:
      "A guided takeoff, after which the client switches to auto. Without `takeoff_altitude` it climbs to the height at " +
      "which the mission on board begins. A rover has nothing to climb: it goes to guided mode. Refused before the drone is " +
      "armed, with what prevents its arming, and while it flies a mission. PX4 begins with the mission's first item.",
    body: z.object({ takeoff_altitude: TakeoffAltitude.optional() }),
    result: Acknowledged.extend({ mode: ModeSet.shape.mode.optional(), altitude: z.number().optional() }),
    async run(order, { takeoff_altitude }) {
      return order.onLink(async (link) => {
        const { items, is_mixture } = await link.readMission();
        if (is_mixture) throw mixedMission();
        const altitude = takeoff_altitude ?? takeoffHeight(items);
        const isRover = link.vehicle.kind === "rover";
        if (!isRover && altitude === undefined) throw noHeight(items);
        await assertStartable(link);
        const acknowledged =
          isRover || altitude === undefined
            ? await link.setMode(guided[link.vehicle.autopilot])
            : { ...(await link.takeoff(altitude)), altitude };
        if (items.length > 0) await link.rewindMission();
        return {
          message: isRover
            ? "The rover is ready; switch to auto to drive the mission."
            : `The drone takes off to ${altitude} m; switch to auto to fly the mission.`,
          result: acknowledged,
        };
      });
    },
  }),
];

/** The mode in which a drone waits for its mission. */
const guided = { ardupilot: "GUIDED", px4: "HOLD" } as const;

/** Before anything is changed. */
async function assertStartable(link: VehicleCalls): Promise<void> {
  const { armed, mode, flies_mission } = await link.flightState();
  if (!armed) {
    const failures = await link.preflightFailures();
    const next =
      failures.length > 0 ? `It cannot be armed as it is: ${failures.join("; ")}` : "Arm it first.";
    throw new DomainError("conflict", `The mission was not started: the drone is not armed. ${next}`);
  }
  if (flies_mission)
    throw new DomainError("conflict", `The mission was not started: the drone flies it already (${mode}).`);
}

const noHeight = (items: readonly MissionItem[]): DomainError =>
  new DomainError(
    "invalid_input",
    items.length === 0
      ? "The drone holds no mission: push one first, or give takeoff_altitude."
      : "The mission on board does not begin at a height above home: give takeoff_altitude.",
  );

const commandsWithHeight: readonly number[] = [MavCommand.takeoff, MavCommand.waypoint];
const framesAboveHome: readonly number[] = [MavFrame.globalRelativeAlt, MavFrame.globalRelativeAltInt];

/**
 * Metres above home at which a plan begins: its first takeoff's or waypoint's height. Undefined when there is
 * none, or when it is not relative to home: metres above the sea would be a wrong climb.
 */
export function takeoffHeight(plan: readonly MissionItem[]): number | undefined {
  const first = plan.find(({ command }) => commandsWithHeight.includes(command));
  if (!first || !framesAboveHome.includes(first.frame)) return undefined;
  return first.z_alt > 0 && first.z_alt <= HIGHEST_ORDER_METRES ? first.z_alt : undefined;
}
