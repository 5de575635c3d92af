import type { LinkPool, LinkTarget, SubscriptionState } from "../../vehicle";
import { DroneFeed } from "./drone-feed";
import type { TelemetryServer } from "./events";
import type { Measures } from "./measures";
import type { Stream } from "./streams";
import type { Watcher } from "./watcher";

export interface FeedOptions {
  /** Most frames a second of one drone's type. */
  readonly maxHz: number;
  /** Whether the last watcher's leaving ends the vehicle subscription. */
  readonly stopWhenUnwatched: boolean;
}

/**
 * waiting: the vehicle has not answered yet.
 * up:      its messages flow.
 * down:    it cannot be reached; the pool goes on trying.
 * ended:   the pool let go of it. A drone that is dialled elsewhere starts anew, any other feed is closed.
 */
type FeedState = "waiting" | SubscriptionState;

interface Entry {
  readonly feed: DroneFeed;
  state: FeedState;
  stop: () => void;
}

/** The drones that are watched, each with one vehicle subscription however many watch it. */
export class FeedBoard {
  private readonly entries = new Map<number, Entry>();

  constructor(
    private readonly io: TelemetryServer,
    private readonly links: Pick<LinkPool, "subscribe">,
    private readonly options: FeedOptions,
    private readonly measures: Measures,
  ) {}

  get drones(): number {
    return this.entries.size;
  }

  get rooms(): number {
    return [...this.entries.values()].reduce((sum, { feed }) => sum + feed.rooms, 0);
  }

  /** Rejects like the pool does when the drone cannot even be dialled. */
  watch(droneId: number, target: LinkTarget, watcher: Watcher, stream: Stream): void {
    const entry = this.entries.get(droneId) ?? this.open(droneId, target);
    entry.feed.add(watcher, stream);
  }

  /** Tells a watcher who came late what the others were told before. */
  greet(droneId: number, watcher: Watcher, stream: Stream): void {
    const entry = this.entries.get(droneId);
    entry?.feed.greet(watcher, stream);
    if (entry?.state === "down") watcher.tell(unreachable(droneId));
  }

  unwatch(droneId: number, watcher: Watcher, stream: Stream): void {
    this.entries.get(droneId)?.feed.remove(watcher, stream);
    this.stopUnwatched(droneId);
  }

  /** The watcher is gone. */
  forget(watcher: Watcher): void {
    for (const [droneId, { feed }] of this.entries) {
      for (const stream of feed.streamsFor(watcher)) feed.remove(watcher, stream);
      this.stopUnwatched(droneId);
    }
  }

  /** The drone is nobody's any more, or another's: all its rooms are emptied. */
  close(droneId: number, message: string): void {
    const entry = this.entries.get(droneId);
    if (!entry) return;
    this.entries.delete(droneId);
    entry.stop();
    entry.feed.close();
    for (const watcher of entry.feed.everybody()) {
      for (const stream of entry.feed.streamsFor(watcher)) entry.feed.remove(watcher, stream);
      watcher.tell(message);
    }
  }

  /** The drone is dialled elsewhere from now on; its watchers stay. */
  move(droneId: number, target: LinkTarget): void {
    const entry = this.entries.get(droneId);
    if (!entry) return;
    entry.stop();
    this.subscribe(droneId, target, entry);
  }

  closeAll(): void {
    for (const { feed, stop } of this.entries.values()) {
      stop();
      feed.close();
    }
    this.entries.clear();
  }

  private open(droneId: number, target: LinkTarget): Entry {
    const feed = new DroneFeed(this.io, droneId, this.options.maxHz, this.measures);
    const entry: Entry = { feed, state: "waiting", stop: () => {} };
    this.subscribe(droneId, target, entry);
    this.entries.set(droneId, entry);
    return entry;
  }

  private subscribe(droneId: number, target: LinkTarget, entry: Entry): void {
    entry.state = "waiting";
    entry.stop = this.links.subscribe(target, {
      onMessage: (message) => entry.feed.receive(message),
      onState: (state) => this.changed(droneId, entry, state),
    });
  }

  private changed(droneId: number, entry: Entry, state: SubscriptionState): void {
    const before = entry.state;
    entry.state = state;
    if (state === "down" && before !== "down") {
      for (const watcher of entry.feed.everybody()) watcher.tell(unreachable(droneId));
    }
    if (state !== "ended") return;
    // A drone that is dialled elsewhere is moved within this turn of the loop, and starts anew.
    setImmediate(() => {
      if (entry.state === "ended" && this.entries.get(droneId) === entry) {
        this.close(droneId, `The connection to drone ${droneId} was closed; subscribe again to watch it.`);
      }
    });
  }

  private stopUnwatched(droneId: number): void {
    const entry = this.entries.get(droneId);
    if (!entry || entry.feed.watched || !this.options.stopWhenUnwatched) return;
    this.entries.delete(droneId);
    entry.stop();
    entry.feed.close();
  }
}

const unreachable = (droneId: number): string =>
  `Drone ${droneId} cannot be reached just now; its telemetry comes when it answers.`;
