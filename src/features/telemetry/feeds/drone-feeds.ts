import type { LinkTarget, SubscriptionState, VehicleLinks } from "../../../vehicle";
import { errorMessages } from "../error-messages";
import type { Watcher } from "../sockets/watcher";
import type { Stream } from "../streams";
import { DroneFeed, type FeedDeps } from "./drone-feed";
import { FeedAnswer, FeedRequest } from "./replica-messages";

interface DroneFeedsDeps extends FeedDeps {
  readonly links: Pick<VehicleLinks, "subscribe">;
  /** Whether the last watcher's leaving ends the vehicle subscription. */
  readonly stopWhenUnwatched: boolean;
}

interface Entry {
  readonly feed: DroneFeed;
  /** Ends the vehicle subscription. */
  stop: () => void;
}

/** The drones that are watched, each with one vehicle subscription for all of its watchers. */
export class DroneFeeds {
  private readonly entries = new Map<number, Entry>();
  private readonly pruning: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly deps: DroneFeedsDeps) {
    this.pruning = setInterval(() => this.prune(), 1_000).unref();
  }

  get drones(): number {
    return this.entries.size;
  }

  get rooms(): number {
    return [...this.entries.values()].reduce((sum, { feed }) => sum + feed.watchers.rooms, 0);
  }

  /** Calls `confirm` before the first frame. Throws what the links throw for a drone that cannot be dialled. */
  watch(droneId: number, target: LinkTarget, watcher: Watcher, stream: Stream, confirm = () => {}): void {
    const { feed } = this.entries.get(droneId) ?? this.open(droneId, target);
    const isNew = !feed.watchers.streamsFor(watcher).includes(stream);
    confirm();
    feed.add(watcher, stream);
    if (isNew && feed.state === "down") watcher.sendError(unreachable(droneId, feed));
  }

  unwatch(droneId: number, watcher: Watcher, stream: Stream): void {
    this.entries.get(droneId)?.feed.remove(watcher, stream);
    this.closeUnwanted(droneId);
  }

  /** The watcher disconnected. */
  forget(watcher: Watcher): void {
    for (const [droneId, { feed }] of this.entries) {
      for (const stream of feed.watchers.streamsFor(watcher)) feed.remove(watcher, stream);
      this.closeUnwanted(droneId);
    }
  }

  /** The drone was deleted or has another owner: all its rooms are emptied. */
  close(droneId: number, message: string): void {
    const entry = this.entries.get(droneId);
    if (!entry) return;
    this.end(droneId, entry);
    const { watchers } = entry.feed;
    for (const watcher of watchers.all()) {
      for (const stream of watchers.streamsFor(watcher)) entry.feed.remove(watcher, stream);
      watcher.sendError(message);
    }
  }

  /** The drone has a new address; its watchers stay. */
  move(droneId: number, target: LinkTarget): void {
    const entry = this.entries.get(droneId);
    if (!entry) return;
    entry.stop();
    this.subscribe(droneId, target, entry);
  }

  /**
   * Sends the frames of a link that this replica holds to another replica's watchers for a while. Undefined when this
   * replica stops.
   */
  feed(target: LinkTarget, replica: string, request: unknown): FeedAnswer | undefined {
    const { drone_id: droneId } = FeedRequest.parse(request);
    if (this.closed) return undefined;
    const { feed } = this.entries.get(droneId) ?? this.open(droneId, target);
    const { state, reason } = feed;
    return { state: state === "ended" ? "waiting" : state, reason, newest: feed.feedPeer(replica) };
  }

  closeAll(): void {
    this.closed = true;
    clearInterval(this.pruning);
    for (const [droneId, entry] of this.entries) this.end(droneId, entry);
  }

  private open(droneId: number, target: LinkTarget): Entry {
    const entry: Entry = { feed: new DroneFeed(droneId, this.deps), stop: () => {} };
    try {
      this.subscribe(droneId, target, entry);
    } catch (error) {
      entry.feed.close();
      throw error;
    }
    this.entries.set(droneId, entry);
    return entry;
  }

  private subscribe(droneId: number, target: LinkTarget, entry: Entry): void {
    const { feed } = entry;
    feed.state = "waiting";
    entry.stop = this.deps.links.subscribe(target, {
      onMessage: (message, fence) => feed.receive(message, fence),
      onState: (state, reason) => this.changed(droneId, entry, state, reason),
      remote: {
        request: { drone_id: droneId } satisfies FeedRequest,
        onReply: (reply) => {
          const answer = FeedAnswer.parse(reply);
          feed.receiveNewest(answer);
          if (answer.state !== "waiting") this.changed(droneId, entry, answer.state, answer.reason);
        },
      },
    });
  }

  private changed(droneId: number, { feed }: Entry, state: SubscriptionState, reason?: string): void {
    const before = feed.state;
    feed.state = state;
    feed.reason = reason;
    if (state === "down" && before !== "down") {
      for (const watcher of feed.watchers.all()) watcher.sendError(unreachable(droneId, feed));
    }
    if (state !== "ended") return;
    // A drone with a new address is subscribed again within this turn of the event loop.
    setImmediate(() => {
      if (feed.state === "ended" && this.entries.get(droneId)?.feed === feed) {
        this.close(droneId, errorMessages.closed_link.text(droneId));
      }
    });
  }

  private prune(): void {
    const now = performance.now();
    for (const [droneId, { feed }] of this.entries) {
      feed.forgetReplicas(now);
      this.closeUnwanted(droneId);
    }
  }

  private closeUnwanted(droneId: number): void {
    const entry = this.entries.get(droneId);
    if (entry && !entry.feed.wanted && this.deps.stopWhenUnwatched) this.end(droneId, entry);
  }

  private end(droneId: number, { feed, stop }: Entry): void {
    this.entries.delete(droneId);
    stop();
    feed.close();
  }
}

const unreachable = (droneId: number, { reason }: DroneFeed): string => {
  const why = reason === undefined ? "" : ` (${reason})`;
  return errorMessages.unreachable_drone.text(droneId, why);
};
