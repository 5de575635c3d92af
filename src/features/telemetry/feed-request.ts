import { z } from "zod";
import { Place } from "./place";
import { TELEMETRY_TYPES } from "./streams";

/** What a replica whose watchers watch a drone asks of the one that has its link. */
export const FeedRequest = z.object({ drone_id: z.int() });
export type FeedRequest = z.output<typeof FeedRequest>;

/** How it is with the drone, and the newest frame of each type for those who just came. */
export const FeedAnswer = z.object({
  state: z.enum(["waiting", "up", "down"]),
  newest: z.array(
    z.object({
      age_ms: z.number(),
      place: Place.optional(),
      frame: z.object({
        type: z.enum(TELEMETRY_TYPES),
        drone_id: z.int(),
        data: z.custom<object>((data) => typeof data === "object" && data !== null),
      }),
    }),
  ),
});
export type FeedAnswer = z.output<typeof FeedAnswer>;
