import { z } from "zod";
import type { LinkTarget } from "../byte-stream";
import { CALL_NAMES } from "../calls";

const Target = z.object({
  key: z.string().min(1),
  host: z.string().min(1),
  port: z.number().int(),
  via: z.enum(["direct", "jumphost"]),
});

/** A call of `vehicleCalls` as it travels between replicas. */
const RemoteCall = z.object({ method: z.enum(CALL_NAMES), args: z.array(z.unknown()) });

/**
 * A request of one replica to the holder of a drone's link. Replicas of two releases send it to each other during an
 * upgrade, so its keys stay:
 * open:  have a link; the reply is the vehicle's identity.
 * call:  make one call on it; the reply is the call's result.
 * feed:  publish the drone's telemetry for a few seconds more; the reply is as `ClusterLinks.serveFeeds` says.
 * close: drop the link; the reply is whether there was one.
 */
export const ReplicaRequest = z.discriminatedUnion("ask", [
  z.object({ ask: z.literal("open"), target: Target }),
  z.object({ ask: z.literal("call"), target: Target, call: RemoteCall }),
  z.object({ ask: z.literal("feed"), target: Target, from: z.string(), asked: z.unknown() }),
  z.object({ ask: z.literal("close"), key: z.string(), reason: z.string() }),
]);
export type ReplicaRequest = z.output<typeof ReplicaRequest>;

/** The part of a target that holds for every replica. */
export const addressOf = ({ key, host, port, via }: LinkTarget): LinkTarget => ({ key, host, port, via });

/** The replica that was asked does not hold the link: nothing was done. */
export class NotHolder extends Error {}
/** The replica was not reached: nothing was sent. */
export class RequestNotSent extends Error {}
/** The request was sent and no reply came: it may have been carried out. */
export class ReplyLost extends Error {}
