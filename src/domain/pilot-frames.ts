import { z } from "zod";
import { VIDEO_TOPICS } from "./drone-channels";

/** Gamepads overshoot their range by a rounding error. */
const axis = (direction: string) =>
  z
    .number()
    .transform((value) => Math.min(1, Math.max(-1, value)))
    .describe(`-1 to 1, positive ${direction}. Values outside are clamped.`);

/** One frame of a pilot's sticks, as `docs/onboard.md` describes it. */
export const StickFrame = z.object({
  t: z
    .number()
    .describe("Milliseconds when the sticks were read, on a clock that never jumps (`performance.now()`)."),
  session: z
    .string()
    .min(1)
    .max(64)
    .describe(
      "Names the clock of `t`, 1 to 64 characters. A new one when the page is loaded or the clock starts again.",
    ),
  axes: z
    .object({
      roll: axis("to the right"),
      pitch: axis("forward"),
      throttle: axis("upward; 0 keeps the height where the mode does, and a rover drives by it"),
      yaw: axis("clockwise"),
    })
    .describe("The sticks. All four, or a lost one would be a centred stick."),
  buttons: z
    .array(z.boolean())
    .max(16)
    .default([])
    .describe("Whether each of the first sixteen buttons is pressed."),
});
export type StickFrame = z.output<typeof StickFrame>;

/** Why the agent on board does not fly a frame. */
const rejectionReasons = {
  old: "it is older than 300 ms",
  settling: "the session is not accepted yet",
  out_of_order: "a later `t` came before",
  invalid: "it is not a stick frame; `detail` says why",
  no_vehicle: "the autopilot is not connected",
} as const;

type RejectionReason = keyof typeof rejectionReasons;

const listed = Object.entries(rejectionReasons).map(([reason, meaning]) => `\`${reason}\`: ${meaning}`);

const mode = z.string().nullable().describe("The vehicle's flight mode. null while it is not connected.");
const armed = z
  .boolean()
  .nullable()
  .describe("Whether the vehicle is armed. null while it is not connected.");
const state = z
  .enum(["idle", "steering", "stopping"])
  .describe(
    "`idle`: nothing is sent. `steering`: each fresh frame is sent. `stopping`: no fresh frame came for 0.5 s, and the vehicle is made to stop.",
  );

/** The reply to a frame, on the drone's `output` channel. */
export const Acknowledgement = z.object({
  type: z.literal("ack").describe("Always `ack`."),
  session: z.string().nullable().describe("The frame's. null when it is not a stick frame."),
  t: z.number().nullable().describe("The frame's. null when it is not a stick frame."),
  accepted: z.boolean().describe("Whether the frame was sent to the vehicle."),
  reason: z
    .enum(Object.keys(rejectionReasons) as [RejectionReason, ...RejectionReason[]])
    .nullable()
    .describe(`Why it was not, or null. ${listed.join("; ")}.`),
  detail: z.string().optional().describe("Of `invalid`: what does not fit."),
  age_ms: z.int().min(0).nullable().describe("The frame's age, milliseconds. null when it is unknown."),
  mode,
  armed,
  state,
});
export type Acknowledgement = Readonly<z.output<typeof Acknowledgement>>;

/** The vehicle as the agent sees it, with every heartbeat and change, on `output`. */
export const VehicleStatus = z.object({
  type: z.literal("status").describe("Always `status`."),
  vehicle: z
    .enum(["copter", "rover"])
    .nullable()
    .describe("The kind of vehicle. null while it is not connected."),
  mode,
  armed,
  state,
});
export type VehicleStatus = Readonly<z.output<typeof VehicleStatus>>;

/** What the agent did with a video message, on `output`. */
export const VideoOutcome = z.object({
  type: z.literal("video").describe("Always `video`."),
  topic: z.string().describe(`Of the message: ${VIDEO_TOPICS.map((topic) => `\`${topic}\``).join(", ")}.`),
  ok: z.boolean().describe("Whether the video command took it."),
  detail: z.string().describe("`taken`, or why it was not."),
});
export type VideoOutcome = Readonly<z.output<typeof VideoOutcome>>;
