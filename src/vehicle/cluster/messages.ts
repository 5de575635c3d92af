import { z } from "zod";
import type { LinkTarget } from "../byte-stream";
import { Call } from "./calls";

const Target = z.object({
  key: z.string().min(1),
  host: z.string().min(1),
  port: z.number().int(),
  via: z.enum(["direct", "jumphost"]),
});

/**
 * What one replica asks of the holder of a drone's link:
 * open:  have a link; answered with the vehicle's identity.
 * call:  make one call on it; answered with what the vehicle said.
 * feed:  publish the drone's telemetry for a few seconds more; answered as `FleetLinks.serveFeeds` says.
 * close: drop the link; answered with whether there was one.
 */
export const Message = z.discriminatedUnion("ask", [
  z.object({ ask: z.literal("open"), target: Target }),
  z.object({ ask: z.literal("call"), target: Target, call: Call }),
  z.object({ ask: z.literal("feed"), target: Target, from: z.string(), asked: z.unknown() }),
  z.object({ ask: z.literal("close"), key: z.string(), reason: z.string() }),
]);
export type Message = z.output<typeof Message>;

/** Where a drone is dialled, without what is this process's own. */
export const addressOf = ({ key, host, port, via }: LinkTarget): LinkTarget => ({ key, host, port, via });

/** The replica that was asked does not hold the link: nothing was done. */
export class NotHolder extends Error {}
/** The replica was not reached: nothing was sent. */
export class NotSent extends Error {}
/** The question was sent and no answer came: it may have been done. */
export class AnswerLost extends Error {}
