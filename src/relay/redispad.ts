import { TOPICS_FROM_DRONE } from "../domain/drone-channels";
import { closeCodes } from "../domain/relay-sockets";
import { publishTo } from "../platform/redis/resp";
import { CloseError } from "./close-error";
import type { BoundDrone } from "./drones.store";
import type { RelayMetrics } from "./metrics";
import type { Pilot } from "./pilot";
import type { Channels } from "./redis/channels";
import type { Publisher } from "./redis/publisher";

export interface RedispadDeps {
  readonly publisher: Publisher;
  readonly channels: Channels;
  readonly metrics: RelayMetrics;
}

/**
 * After so many bytes a pilot's socket is not read until Redis has replied to them: a flood waits at its own sender, not in
 * front of other pilots' frames. 20 frames a second come near it every few seconds, for as long as a reply takes.
 */
const WINDOW_BYTES = 16_384;
/** What an empty frame costs. */
const OVERHEAD_BYTES = 64;

export const redisUnreachable = () =>
  new CloseError(closeCodes.tryLater, "Redis cannot be reached; connect again in a moment.");

/**
 * Joins a pilot to the channels of the drone's present address: every text frame of the pilot goes to
 * `{ip}:gamepad_input`, every message on `{ip}:output` and `{ip}:aruco_tracking` to the pilot. The relay never reads a
 * frame and never sends one of its own: when frames stop, the drone's dead-man timer must notice.
 */
export async function joinRedispad(
  pilot: Pilot,
  { ip }: BoundDrone & { readonly ip: string },
  { publisher, channels, metrics }: RedispadDeps,
): Promise<void> {
  const subscribed = TOPICS_FROM_DRONE.map((topic) => `${ip}:${topic}`);
  const toPilot = (message: Buffer, arrivedAt: number) => pilot.send(message, arrivedAt);
  pilot.onEnd(() => channels.leave(subscribed, toPilot));
  await channels.join(subscribed, toPilot).catch((cause: unknown) => {
    throw new CloseError(closeCodes.tryLater, redisUnreachable().message, undefined, { cause });
  });
  if (!publisher.up) throw redisUnreachable();

  const prefix = publishTo(`${ip}:gamepad_input`);
  let unanswered = 0;
  const awaitReplies = async () => {
    pilot.pause();
    await publisher.answered();
    unanswered = 0;
    pilot.resume();
  };
  pilot.start((frame, binary) => {
    if (binary) return pilot.refuseBinary();
    if (!publisher.up) return pilot.closeWith(redisUnreachable());
    metrics.toDrone.count(frame.length);
    publisher.publish(prefix, frame, performance.now());
    unanswered += frame.length + OVERHEAD_BYTES;
    if (unanswered > WINDOW_BYTES && !pilot.isPaused) void awaitReplies();
  });
}
