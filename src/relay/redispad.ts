import { publishTo } from "../platform/redis/resp";
import type { Channels } from "./channels";
import { closeCodes, Refusal } from "./close";
import type { BoundDrone } from "./drones.store";
import type { Source } from "./in-flight";
import type { RelayMetrics } from "./metrics";
import type { Pilot } from "./pilot";
import type { Publisher } from "./publisher";

export interface RedispadDeps {
  readonly publisher: Publisher;
  readonly channels: Channels;
  readonly metrics: RelayMetrics;
}

export const redisIsAway = () =>
  new Refusal(closeCodes.tryLater, "Redis cannot be reached; connect again in a moment.");

/**
 * Join a pilot to the channels of the drone's address, as it is now: every text frame of the pilot goes to
 * `{ip}:gamepad_input`, every message on `{ip}:output` and `{ip}:aruco_tracking` to the pilot. What a frame
 * holds is never looked at, and nothing is ever sent in the pilot's stead: when frames stop, the drone's
 * dead-man timer must see that they do.
 */
export async function joinRedispad(
  pilot: Pilot,
  { ip }: BoundDrone & { readonly ip: string },
  { publisher, channels, metrics }: RedispadDeps,
): Promise<void> {
  const heard = [`${ip}:output`, `${ip}:aruco_tracking`];
  const toPilot = (message: Buffer, arrivedAt: number) => pilot.send(message, arrivedAt);
  pilot.onEnd(() => channels.leave(heard, toPilot));
  await channels.join(heard, toPilot).catch((cause: unknown) => {
    throw new Refusal(closeCodes.tryLater, redisIsAway().message, undefined, { cause });
  });
  if (!publisher.up) throw redisIsAway();

  const prefix = publishTo(`${ip}:gamepad_input`);
  const source: Source = {
    unacknowledged: 0,
    pause: () => pilot.pause(),
    resume: () => pilot.closed || pilot.resume(),
  };
  const gaps = new Gaps();
  pilot.onEnd(() => gaps.worst > 0 && metrics.worstGap.of("redispad").observe(gaps.worst / 1_000));
  pilot.start((frame, binary) => {
    if (binary) return pilot.refuseBinary();
    if (!publisher.up) return pilot.refuse(redisIsAway());
    const now = performance.now();
    gaps.frame(now);
    metrics.toDrone.count(frame.length);
    publisher.publish(source, prefix, frame, now);
  });
}

/** The longest pause between two frames, in milliseconds; 0 before the second. */
class Gaps {
  worst = 0;
  private last = 0;

  frame(now: number): void {
    if (this.last > 0 && now - this.last > this.worst) this.worst = now - this.last;
    this.last = now;
  }
}
