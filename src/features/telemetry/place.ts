import { z } from "zod";

/**
 * Where a frame stands among all of its drone's, whichever replicas they came from.
 * term:   the fencing number under which the link was opened that it came by; higher for each holder after another.
 * number: grows with every frame of the process that held the link.
 */
export const Place = z.object({ term: z.number(), number: z.number() });
export type Place = z.output<typeof Place>;

export const isBefore = (one: Place, other: Place): boolean =>
  one.term === other.term ? one.number < other.number : one.term < other.term;
