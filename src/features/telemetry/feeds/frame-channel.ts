import { randomUUID } from "node:crypto";
import type { Logger } from "../../../platform/process/log";
import type { Redis } from "../../../platform/redis/client";
import type { Subscriber } from "../../../platform/redis/subscriber";
import type { TelemetryFrame } from "../events";
import type { EncodedFrame } from "./frame-batch";
import type { StreamOffset } from "./replica-messages";

export interface PublishedFrame {
  readonly encoded: EncodedFrame;
  readonly offset: StreamOffset;
}

interface Message extends SentFrame {
  readonly more?: readonly SentFrame[];
}
interface SentFrame {
  readonly frame: TelemetryFrame;
  readonly offset: StreamOffset;
}

export type OnFrame = (frame: TelemetryFrame, offset: StreamOffset) => void;

const channelOf = (droneId: number): string => `fleet:telemetry:${droneId}`;

/**
 * Carries frames from the replica that holds a drone's link to the replicas whose watchers watch it: one Redis
 * channel for each drone, and one message for the frames of a turn. A message that Redis does not take is lost; the next
 * one follows.
 */
export class FrameChannel {
  /** How this replica's own messages begin. */
  private readonly own = `{"from":"${randomUUID()}"`;
  private refused = false;

  constructor(
    private readonly publisher: Pick<Redis, "publish">,
    private readonly subscriber: Pick<Subscriber, "onMessage">,
    private readonly log: Logger,
  ) {}

  /** At least one frame. Replicas of version 0.2 take the first alone. */
  publish(droneId: number, frames: readonly PublishedFrame[]): void {
    const [first = "", ...more] = frames.map(
      ({ encoded, offset }) => `"offset":${JSON.stringify(offset)},"frame":${encoded.json}`,
    );
    const rest = more.length === 0 ? "" : `,"more":[${more.map((each) => `{${each}}`).join()}]`;
    this.publisher.publish(channelOf(droneId), `${this.own},${first}${rest}}`).then(
      () => {
        this.refused = false;
      },
      (error: Error) => {
        // An unreachable Redis is logged by its client.
        if (error.name !== "ReplyError" || this.refused) return;
        this.refused = true;
        this.log.error({ err: error }, "Redis refused to publish telemetry for other replicas");
      },
    );
  }

  /** Calls `onFrame` with each frame of other replicas. Returns the function that unsubscribes. */
  subscribe(droneId: number, onFrame: OnFrame): () => void {
    return this.subscriber.onMessage(channelOf(droneId), (message) => {
      if (message.startsWith(this.own)) return;
      const { more = [], ...first } = JSON.parse(message) as Message;
      for (const { frame, offset } of [first, ...more]) onFrame(frame, offset);
    });
  }
}
