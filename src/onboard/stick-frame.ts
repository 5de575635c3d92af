import { z } from "zod";

/** Gamepads overshoot their range by a rounding error. */
const axis = z.number().transform((value) => Math.min(1, Math.max(-1, value)));

/** One frame of a pilot's sticks, as `docs/onboard.md` describes it. */
const StickFrame = z.object({
  /** Milliseconds on the pilot's own monotonic clock, whatever its origin. */
  t: z.number(),
  /** Names the clock that `t` is read from. */
  session: z.string().min(1).max(64),
  /** From -1 to 1: right, forward, up, clockwise. All four, or a lost one would be a centred stick. */
  axes: z.object({ roll: axis, pitch: axis, throttle: axis, yaw: axis }),
  /** Pressed or not, the first sixteen. */
  buttons: z.array(z.boolean()).max(16).default([]),
});
export type StickFrame = z.output<typeof StickFrame>;

/** The frame, or the error message. */
export function readStickFrame(text: string): StickFrame | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  const parsed = StickFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return issue ? `${issue.path.join(".") || "frame"}: ${issue.message}` : "not a stick frame";
}
