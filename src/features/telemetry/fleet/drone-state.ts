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
export class KnownState {
  up = true;
  /** When it was heard last, and when its position came. Of the monotonic clock. */
  private heardAt = 0;
  private placedAt = 0;
  private readonly said: { -readonly [Part in keyof NewestState]?: NewestState[Part] } = {};
  /** What was said as JSON, each part behind its opening brace. Most of a reply's work, and done once. */
  private text: { readonly position: string | undefined; readonly rest: string } | undefined;

  constructor(private readonly id: number) {}

  hear(said: Partial<NewestState>): void {
    this.heardAt = performance.now();
    if (said.position) this.placedAt = this.heardAt;
    Object.assign(this.said, said);
    this.text = undefined;
  }

  at(now: number): DroneState {
    const { armed, mode, position, battery, mission } = this.parts;
    return {
      drone_id: this.id,
      link: this.linkAt(now),
      armed,
      mode,
      battery,
      mission,
      position: position && { ...position, age_ms: ageAt(this.placedAt, now) },
    };
  }

  /** `at` as JSON. */
  jsonAt(now: number): string {
    const { up, age_ms } = this.linkAt(now);
    this.text ??= this.inText();
    const { text } = this;
    const place = text.position ? `{"age_ms":${ageAt(this.placedAt, now)},${text.position}` : "null";
    return `{"drone_id":${this.id},"link":{"up":${up},"age_ms":${age_ms}},"position":${place},${text.rest}`;
  }

  private inText() {
    const { position, ...rest } = this.parts;
    return {
      position: position ? JSON.stringify(position).slice(1) : undefined,
      rest: JSON.stringify(rest).slice(1),
    };
  }

  private get parts() {
    const { armed = null, mode = null, position = null, battery = null, mission = null } = this.said;
    return { armed, mode, position, battery, mission };
  }

  private linkAt(now: number): { readonly up: boolean; readonly age_ms: number } {
    return toLink(this.up, ageAt(this.heardAt, now));
  }
}

/** Of a drone that was not heard yet. */
export const unheard = (drone_id: number): DroneState => ({
  ...{ drone_id, link: null, armed: null, mode: null },
  ...{ position: null, battery: null, mission: null },
});

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
