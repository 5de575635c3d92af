import type { SubscriptionState, TelemetryMessage } from "../../../vehicle";
import type { TelemetryFrame } from "../events";
import type { TelemetryMetrics } from "../metrics";
import type { Watcher } from "../sockets/watcher";
import { isEvent, type Stream, streamsOf, type TelemetryType } from "../streams";
import { EncodedFrame } from "./frame-batch";
import type { FrameChannel, PublishedFrame } from "./frame-channel";
import { RateCap } from "./rate-cap";
import { type FeedAnswer, isAfter, type StreamOffset } from "./replica-messages";
import { Watchers } from "./watchers";
import { YawEstimate } from "./yaw";

/** An older state would pass for the present, so no watcher is greeted with it; home does not change. */
export const FRESH_MS = 10_000;
/** A replica asks again every second; a replica that was killed does not. */
const FEED_PEER_MS = 3_500;

/** Frames that this process made, of all drones. */
let sequence = 0;

/**
 * waiting: the vehicle, or the replica that holds its link, has not answered yet.
 * up:      its messages arrive.
 * down:    it cannot be reached; the link is retried.
 * ended:   the link pool let go of the drone. A drone with a new address is subscribed again at once; any other feed
 *          is closed.
 */
type FeedState = "waiting" | SubscriptionState;

/**
 * Classes, not object literals, and arrays that stay: V8 notices that the newest frames live long, makes all literals of
 * that place in old space then, and keeps there what each refers to.
 */
class Newest {
  constructor(
    readonly frame: TelemetryFrame,
    /** Of the monotonic clock. */
    readonly at: number,
    readonly offset: StreamOffset | undefined,
  ) {}
}

class Frame implements TelemetryFrame {
  constructor(
    readonly type: TelemetryType,
    readonly drone_id: number,
    readonly data: object,
  ) {}
}

export interface FeedDeps {
  readonly metrics: TelemetryMetrics;
  /** Most frames a second of one drone's type. */
  readonly maxHz: number;
  /** To and from other replicas; absent where there are none. */
  readonly channel?: FrameChannel | undefined;
}

/**
 * One drone's telemetry, from the messages of its link, or the frames of the replica that holds it, to its watchers: yaw
 * added, rate capped, each frame encoded once for all. The frames of one turn of the event loop are sent together: an
 * autopilot sends the messages of a tick at once.
 */
export class DroneFeed {
  state: FeedState = "waiting";
  /** Why its link is down, as far as it is known. */
  reason: string | undefined;
  readonly watchers = new Watchers();
  private readonly yaw = new YawEstimate();
  private readonly cap: RateCap<TelemetryType, TelemetryMessage>;
  /** Frames of this turn, for the watchers and for the other replicas. */
  private readonly unsent: EncodedFrame[] = [];
  private readonly unpublished: PublishedFrame[] = [];
  private isFlushDue = false;
  private readonly newest = new Map<TelemetryType, Newest>();
  private readonly offsets = new Map<TelemetryType, StreamOffset>();
  private highestFence = Number.NEGATIVE_INFINITY;
  private fence: number | undefined;
  /** Replicas that are sent the frames, each until a time of the monotonic clock. */
  private readonly replicas = new Map<string, number>();
  private readonly unsubscribe: (() => void) | undefined;

  constructor(
    private readonly droneId: number,
    private readonly deps: FeedDeps,
  ) {
    const { maxHz, metrics, channel } = deps;
    this.cap = new RateCap(
      maxHz,
      (_type, message) => this.send(message),
      () => metrics.drop("rate_cap"),
    );
    this.unsubscribe = channel?.subscribe(droneId, (frame, offset) =>
      this.deliver(new Newest(frame, performance.now(), offset)),
    );
  }

  /** Whether a watcher of this replica or another replica needs it. */
  get wanted(): boolean {
    return this.watchers.rooms > 0 || this.replicas.size > 0;
  }

  /** A message of the link, which this replica holds under this fencing number. */
  receive(message: TelemetryMessage, fence?: number): void {
    const now = performance.now();
    this.fence = fence;
    if (message.type === "hud") this.yaw.sawHeading(message.data.heading, now);
    if (message.type === "imu") this.yaw.sawOrientation(message.data.orientation, now);
    if (this.replicas.size === 0 && !this.watchers.wants(message.type))
      this.remember(this.frame(message, now));
    else if (isEvent(message.type)) this.send(message);
    else this.cap.offer(message.type, message, now);
  }

  /** The answer of the replica that holds the link. */
  receiveNewest({ newest }: FeedAnswer): void {
    const now = performance.now();
    for (const { frame, age_ms, offset } of newest) this.deliver(new Newest(frame, now - age_ms, offset));
  }

  /** Sends the frames to another replica for a while. Returns the newest ones. */
  feedPeer(replica: string): FeedAnswer["newest"] {
    const now = performance.now();
    this.replicas.set(replica, now + FEED_PEER_MS);
    return this.newestFirstHome().map(({ frame, at, offset }) => ({ frame, age_ms: now - at, offset }));
  }

  forgetReplicas(now: number): void {
    for (const [replica, until] of this.replicas) if (now > until) this.replicas.delete(replica);
  }

  /** Lets the watcher into the stream's room, and sends it the newest frames that its other rooms have not. */
  add(watcher: Watcher, stream: Stream): void {
    const others = this.watchers.streamsFor(watcher);
    if (others.includes(stream)) return;
    // Otherwise it would get the newest ones twice.
    this.flush();
    this.watchers.add(watcher, stream);
    watcher.enter(this.droneId, stream);
    const now = performance.now();
    for (const newest of this.newestFirstHome()) {
      const streams = streamsOf(newest.frame.type);
      if (!isFresh(newest, now) || !streams.includes(stream) || streams.some((one) => others.includes(one)))
        continue;
      watcher.socket.emit("telemetry_data", newest.frame);
    }
  }

  remove(watcher: Watcher, stream: Stream): void {
    this.watchers.remove(watcher, stream);
    watcher.leave(this.droneId, stream);
    if (this.watchers.streamsFor(watcher).length === 0) watcher.forget(this.droneId);
  }

  close(): void {
    this.flush();
    this.cap.close();
    this.unsubscribe?.();
  }

  private send(message: TelemetryMessage): void {
    const newest = this.frame(message, performance.now());
    const encoded = this.deliver(newest);
    if (!encoded) return;
    this.deps.metrics.frame(message.type);
    const { offset } = newest;
    if (!offset || this.replicas.size === 0) return;
    this.unpublished.push({ encoded, offset });
    this.flushLater();
  }

  /** To the watchers of this replica at the end of the turn, unless a later frame came before; then undefined. */
  private deliver(newest: Newest): EncodedFrame | undefined {
    if (!this.remember(newest)) return undefined;
    const encoded = new EncodedFrame(newest.frame);
    if (this.watchers.wants(newest.frame.type) && isFresh(newest, performance.now())) {
      this.unsent.push(encoded);
      this.flushLater();
    }
    return encoded;
  }

  private flushLater(): void {
    if (!this.isFlushDue) setImmediate(() => this.flush());
    this.isFlushDue = true;
  }

  private flush(): void {
    const { unsent, unpublished } = this;
    this.isFlushDue = false;
    if (unpublished.length > 0) this.deps.channel?.publish(this.droneId, unpublished);
    this.watchers.send(unsent);
    unpublished.length = 0;
    unsent.length = 0;
  }

  /** Returns whether it is later than every frame of its type. A deposed holder's frames are not. */
  private remember(newest: Newest): boolean {
    const { frame, offset } = newest;
    if (offset) {
      const last = this.offsets.get(frame.type);
      if (offset.fence < this.highestFence || (last && !isAfter(offset, last))) return false;
      this.highestFence = offset.fence;
      this.offsets.set(frame.type, offset);
    }
    if (!isEvent(frame.type)) this.newest.set(frame.type, newest);
    return true;
  }

  private newestFirstHome(): Newest[] {
    const isHome = ({ frame }: Newest) => Number(frame.type === "home");
    return [...this.newest.values()].sort((a, b) => isHome(b) - isHome(a));
  }

  private frame(message: TelemetryMessage, at: number): Newest {
    const offset = this.fence === undefined ? undefined : { fence: this.fence, sequence: ++sequence };
    return new Newest(new Frame(message.type, this.droneId, this.payload(message, at)), at, offset);
  }

  private payload(message: TelemetryMessage, now: number): object {
    if (message.type !== "gps" && message.type !== "raw_gps") return message.data;
    const yaw = this.yaw.at(now);
    return yaw === undefined ? message.data : { ...message.data, yaw };
  }
}

const isFresh = ({ frame, at }: Newest, now: number): boolean =>
  frame.type === "home" || now - at <= FRESH_MS;
