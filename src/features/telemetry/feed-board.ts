import type { LinkTarget, SubscriptionState, VehicleLinks } from "../../vehicle";
import { Audience } from "./audience";
import { DroneFeed } from "./drone-feed";
import type { TelemetryFrame, TelemetryServer } from "./events";
import { FeedAnswer, FeedRequest } from "./feed-request";
import type { Measures } from "./measures";
import type { Place } from "./place";
import type { Stream } from "./streams";
import type { Watcher } from "./watcher";

export interface FeedOptions {
  /** Most frames a second of one drone's type. */
  readonly maxHz: number;
  /** Whether the last watcher's leaving ends the vehicle subscription. */
  readonly stopWhenUnwatched: boolean;
}

/**
 * waiting: the vehicle, or the replica that has its link, has not answered yet.
 * up:      its messages flow.
 * down:    it cannot be reached; it is tried again and again.
 * ended:   the links let go of it. A drone that is dialled elsewhere starts anew, any other feed is closed.
 */
export type FeedState = "waiting" | SubscriptionState;

interface Entry {
  readonly audience: Audience;
  readonly feed: DroneFeed;
  state: FeedState;
  stop: () => void;
  /** Replicas whose watchers are fed, each until a time of the clock that never steps. */
  readonly others: Map<string, number>;
  /** Who came while nothing was known of the drone. */
  readonly ungreeted: { readonly watcher: Watcher; readonly stream: Stream; readonly since: number }[];
}

/** A replica asks again every second; one that was killed does not. */
const FEED_OTHERS_MS = 3_500;

/** The drones that are watched, each with one vehicle subscription however many watch it. */
export class FeedBoard {
  private readonly entries = new Map<number, Entry>();
  private readonly pruning: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly io: TelemetryServer,
    private readonly links: Pick<VehicleLinks, "subscribe">,
    private readonly options: FeedOptions,
    private readonly measures: Measures,
  ) {
    this.pruning = setInterval(() => this.forgetOthers(), 1_000).unref();
  }

  get drones(): number {
    return this.entries.size;
  }

  get rooms(): number {
    return [...this.entries.values()].reduce((sum, { audience }) => sum + audience.rooms, 0);
  }

  /** Rejects like the links do when the drone cannot even be dialled. */
  watch(droneId: number, target: LinkTarget, watcher: Watcher, stream: Stream): void {
    const entry = this.entries.get(droneId) ?? this.open(droneId, target);
    entry.audience.add(watcher, stream);
    watcher.enter(droneId, stream);
  }

  /** Tells a watcher who came late what the others were told before. */
  greet(droneId: number, watcher: Watcher, stream: Stream): void {
    const entry = this.entries.get(droneId);
    if (!entry) return;
    const now = performance.now();
    if (entry.state === "waiting") entry.ungreeted.push({ watcher, stream, since: now });
    else entry.audience.greet(watcher, stream, now, now);
    if (entry.state === "down") watcher.tell(unreachable(droneId));
  }

  unwatch(droneId: number, watcher: Watcher, stream: Stream): void {
    const entry = this.entries.get(droneId);
    if (entry) this.remove(droneId, entry, watcher, stream);
    else watcher.leave(droneId, stream);
    this.stopUnwatched(droneId);
  }

  /** The watcher is gone. */
  forget(watcher: Watcher): void {
    for (const [droneId, entry] of this.entries) {
      for (const stream of entry.audience.streamsFor(watcher)) this.remove(droneId, entry, watcher, stream);
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
    for (const watcher of entry.audience.everybody()) {
      for (const stream of entry.audience.streamsFor(watcher)) this.remove(droneId, entry, watcher, stream);
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

  /**
   * Another replica's watchers are fed for a while, from the link that this replica holds. Undefined when this
   * replica stops.
   */
  feed(target: LinkTarget, from: string, asked: unknown): FeedAnswer | undefined {
    const { drone_id: droneId } = FeedRequest.parse(asked);
    if (this.closed) return undefined;
    const entry = this.entries.get(droneId) ?? this.open(droneId, target);
    const now = performance.now();
    entry.others.set(from, now + FEED_OTHERS_MS);
    entry.feed.feedsOthers = true;
    return { state: entry.state === "ended" ? "waiting" : entry.state, newest: entry.audience.recent(now) };
  }

  /** Of the frame that is being sent, for other replicas. */
  placeOf({ drone_id }: TelemetryFrame): Place | undefined {
    return this.entries.get(drone_id)?.feed.place;
  }

  /**
   * Whether a frame that another replica sent to a room of ours is news there: undefined when it is not, else the
   * sockets that know it.
   */
  admit(frame: TelemetryFrame, stream: Stream, place: Place | undefined): readonly string[] | undefined {
    const entry = this.entries.get(frame.drone_id);
    return entry && place ? entry.audience.admit(frame.type, stream, place) : [];
  }

  /** It was sent to the room. */
  received(frame: TelemetryFrame, stream: Stream, place: Place | undefined): void {
    this.entries.get(frame.drone_id)?.audience.sent(frame, [stream], performance.now(), place);
  }

  closeAll(): void {
    this.closed = true;
    clearInterval(this.pruning);
    for (const { feed, stop } of this.entries.values()) {
      stop();
      feed.close();
    }
    this.entries.clear();
  }

  private open(droneId: number, target: LinkTarget): Entry {
    const audience = new Audience();
    const feed = new DroneFeed(this.io, droneId, this.options.maxHz, audience, this.measures);
    const entry: Entry = {
      audience,
      feed,
      state: "waiting",
      stop: () => {},
      others: new Map(),
      ungreeted: [],
    };
    this.subscribe(droneId, target, entry);
    this.entries.set(droneId, entry);
    return entry;
  }

  private subscribe(droneId: number, target: LinkTarget, entry: Entry): void {
    entry.state = "waiting";
    entry.stop = this.links.subscribe(target, {
      onMessage: (message, term) => entry.feed.receive(message, term),
      onState: (state) => this.changed(droneId, entry, state),
      elsewhere: {
        asked: { drone_id: droneId } satisfies FeedRequest,
        answered: (answer) => this.answered(droneId, entry, FeedAnswer.parse(answer)),
      },
    });
  }

  private answered(droneId: number, entry: Entry, { state, newest }: FeedAnswer): void {
    const now = performance.now();
    for (const { frame, age_ms, place } of newest)
      entry.audience.remember(frame, { at: now - age_ms, place });
    if (state === "waiting" && newest.length === 0) return;
    this.changed(droneId, entry, state === "waiting" ? "up" : state);
  }

  private changed(droneId: number, entry: Entry, state: SubscriptionState): void {
    const before = entry.state;
    entry.state = state;
    const now = performance.now();
    for (const { watcher, stream, since } of entry.ungreeted.splice(0)) {
      if (entry.audience.streamsFor(watcher).includes(stream))
        entry.audience.greet(watcher, stream, since, now);
    }
    if (state === "down" && before !== "down") {
      for (const watcher of entry.audience.everybody()) watcher.tell(unreachable(droneId));
    }
    if (state !== "ended") return;
    // A drone that is dialled elsewhere is moved within this turn of the loop, and starts anew.
    setImmediate(() => {
      if (entry.state === "ended" && this.entries.get(droneId) === entry) {
        this.close(droneId, `The connection to drone ${droneId} was closed; subscribe again to watch it.`);
      }
    });
  }

  private remove(droneId: number, entry: Entry, watcher: Watcher, stream: Stream): void {
    entry.audience.remove(watcher, stream);
    watcher.leave(droneId, stream);
    if (entry.audience.streamsFor(watcher).length === 0) watcher.forget(droneId);
  }

  private forgetOthers(): void {
    const now = performance.now();
    for (const [droneId, { others, feed }] of this.entries) {
      for (const [from, until] of others) if (now > until) others.delete(from);
      feed.feedsOthers = others.size > 0;
      this.stopUnwatched(droneId);
    }
  }

  private stopUnwatched(droneId: number): void {
    const entry = this.entries.get(droneId);
    if (!entry || entry.audience.rooms > 0 || entry.others.size > 0 || !this.options.stopWhenUnwatched)
      return;
    this.entries.delete(droneId);
    entry.stop();
    entry.feed.close();
  }
}

const unreachable = (droneId: number): string =>
  `Drone ${droneId} cannot be reached just now; its telemetry comes when it answers.`;
