import { z } from "zod";
import { TELEMETRY_TYPES } from "../streams";

/**
 * The order of a drone's frames, whichever replicas they came from.
 * fence:    the fencing number of the link that the frame came by; each later holder has a higher one.
 * sequence: grows with every frame of the process that holds the link.
 */
export const StreamOffset = z.object({ fence: z.number(), sequence: z.number() });
export type StreamOffset = z.output<typeof StreamOffset>;

export const isAfter = (one: StreamOffset, other: StreamOffset): boolean =>
  one.fence === other.fence ? one.sequence > other.sequence : one.fence > other.fence;

const Frame = z.object({
  type: z.enum(TELEMETRY_TYPES),
  drone_id: z.int(),
  data: z.custom<object>((data) => typeof data === "object" && data !== null),
});

/** A replica with watchers asks this of the replica that holds the drone's link. */
export const FeedRequest = z.object({ drone_id: z.int() });
export type FeedRequest = z.output<typeof FeedRequest>;

const NewestFrame = z.object({ age_ms: z.number(), offset: StreamOffset.optional(), frame: Frame });

/** The state of the link, and the newest frame of each type, for watchers that have just subscribed. */
export const FeedAnswer = z.object({
  state: z.enum(["waiting", "up", "down"]),
  reason: z.string().optional(),
  /** Frames of types that only a newer release knows are left out. */
  newest: z.array(z.unknown()).transform((frames) =>
    frames.flatMap((frame) => {
      const { success, data } = NewestFrame.safeParse(frame);
      return success ? [data] : [];
    }),
  ),
});
export type FeedAnswer = z.output<typeof FeedAnswer>;
