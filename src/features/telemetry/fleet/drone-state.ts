import { z } from "zod";
import { BodyId } from "../../../http/route";
import type { NewestState } from "../../../vehicle";
import { telemetryPayloads } from "../../../vehicle/telemetry-messages";

/** A vehicle that says nothing for so long has no link any more, and the gateway that had it may be gone. */
const SILENT_MS = 10_000;

const { latitude, longitude, altitude } = telemetryPayloads.gps.shape;
const { battery } = telemetryPayloads.system.shape;
const { item, items, state } = telemetryPayloads.mission.shape;

/** What is known of a drone, without asking it. */
export const DroneState = z
  .object({
    drone_id: BodyId.describe("The drone's id."),
    link: z
      .object({
        up: z.boolean().describe("Whether a gateway has a link to it, and heard it in the last 10 s."),
        age_ms: z.int().min(0).describe("Milliseconds since it was heard last."),
      })
      .nullable()
      .describe("null when the drone was not heard yet. The other fields are as of then."),
    armed: z.boolean().nullable().describe("Whether the motors are armed. null when not known."),
    mode: z.string().nullable().describe("Flight mode by the autopilot's own name. null when not known."),
    position: z
      .object({
        ...{ latitude, longitude, altitude },
        relative_altitude: z.number().describe("Metres above home."),
        age_ms: z.int().min(0).describe("Milliseconds since it came."),
        heading: z
          .number()
          .min(0)
          .max(360)
          .nullable()
          .describe("Compass degrees of the nose. null when not known."),
      })
      .nullable()
      .describe("The estimator's position. null when it has none."),
    battery: z
      .object({ voltage: battery.shape.voltage, remaining: battery.shape.remaining })
      .nullable()
      .describe("The first battery. null when not known."),
    mission: z
      .object({ item, items, state })
      .nullable()
      .describe("How far the mission on board is. null when not known."),
  })
  .meta({ id: "DroneState" });
export type DroneState = z.output<typeof DroneState>;

/** A drone's newest state, as long as this process knows it. */
export interface KnownState {
  readonly up: boolean;
  /** When it was heard last, and when its position came. Of the monotonic clock. */
  readonly heardAt: number;
  readonly placedAt: number;
  readonly said: Partial<NewestState>;
}

export function toDroneState(id: number, known: KnownState | undefined, now: number): DroneState {
  const { armed = null, mode = null, position = null, battery = null, mission = null } = known?.said ?? {};
  return {
    drone_id: id,
    link: known ? toLink(known.up, ageAt(known.heardAt, now)) : null,
    armed,
    mode,
    position: known && position ? { ...position, age_ms: ageAt(known.placedAt, now) } : null,
    battery,
    mission,
  };
}

/** The state as it is so many milliseconds later, when nothing was heard in between. */
export function later(state: DroneState, ms: number): DroneState {
  const { link, position } = state;
  const age = (before: number) => Math.max(0, Math.round(before + ms));
  return {
    ...state,
    link: link && toLink(link.up, age(link.age_ms)),
    position: position && { ...position, age_ms: age(position.age_ms) },
  };
}

/** Milliseconds since it was heard. */
export const ageOf = ({ link }: DroneState): number => link?.age_ms ?? Number.POSITIVE_INFINITY;

const toLink = (up: boolean, age_ms: number) => ({ up: up && age_ms <= SILENT_MS, age_ms });

const ageAt = (at: number, now: number): number => Math.max(0, Math.round(now - at));
