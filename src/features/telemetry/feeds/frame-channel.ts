import { randomUUID } from "node:crypto";
import type { Logger } from "../../../platform/process/log";
import type { Redis } from "../../../platform/redis/client";
import type { Subscriber } from "../../../platform/redis/subscriber";
import type { TelemetryFrame } from "../events";
import type { StreamOffset } from "./replica-messages";

export type OnFrame = (frame: TelemetryFrame, offset: StreamOffset) => void;

const channelOf = (droneId: number): string => `fleet:telemetry:${droneId}`;

/**
 * Carries frames from the replica that holds a drone's link to the replicas whose watchers watch it: one Redis
 * channel for each drone. A frame that Redis does not take is lost; the next one follows.
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

  publish(frame: TelemetryFrame, offset: StreamOffset): void {
    const message = `${this.own},"offset":${JSON.stringify(offset)},"frame":${JSON.stringify(frame)}}`;
    this.publisher.publish(channelOf(frame.drone_id), message).then(
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
      const { frame, offset } = JSON.parse(message) as { frame: TelemetryFrame; offset: StreamOffset };
      onFrame(frame, offset);
    });
  }
}
