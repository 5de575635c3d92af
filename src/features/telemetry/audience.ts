import type { TelemetryFrame } from "./events";
import { isBefore, type Place } from "./place";
import { isEvent, STREAMS, type Stream, streamsOf, type TelemetryType } from "./streams";
import type { Watcher } from "./watcher";

/** A state older than this would pass for the present, so nobody is greeted with it; home does not change. */
const FRESH_MS = 10_000;

interface Newest {
  readonly frame: TelemetryFrame;
  /** Of this process's clock that never steps. */
  readonly at: number;
  readonly place: Place | undefined;
  /** Whether those who watch here were sent it. */
  readonly sent: boolean;
}

/** A frame and how long ago it was the newest. */
export interface AgedFrame {
  readonly frame: TelemetryFrame;
  readonly age_ms: number;
  readonly place: Place | undefined;
}

/** Who watches one drone at this replica, and the newest frame of each type, whichever replica it came from. */
export class Audience {
  private readonly watchers = new Map<Stream, Set<Watcher>>();
  private readonly newest = new Map<TelemetryType, Newest>();
  /** Of the last frame of each room. */
  private readonly last = new Map<Stream, Place>();
  /** What newcomers were told beside their rooms, until their rooms are past it. */
  private readonly told = new Map<Watcher, Map<TelemetryType, Place>>();

  /** Streams with at least one watcher. */
  get rooms(): number {
    return this.watchers.size;
  }

  watches(stream: Stream): boolean {
    return this.watchers.has(stream);
  }

  add(watcher: Watcher, stream: Stream): void {
    const watching = this.watchers.get(stream) ?? new Set();
    this.watchers.set(stream, watching.add(watcher));
  }

  remove(watcher: Watcher, stream: Stream): void {
    const watching = this.watchers.get(stream);
    watching?.delete(watcher);
    if (watching?.size === 0) this.watchers.delete(stream);
    if (this.streamsFor(watcher).length === 0) this.told.delete(watcher);
  }

  streamsFor(watcher: Watcher): Stream[] {
    return STREAMS.filter((stream) => this.watchers.get(stream)?.has(watcher));
  }

  /** Everybody who watches this drone, once each. */
  everybody(): Set<Watcher> {
    return new Set([...this.watchers.values()].flatMap((watching) => [...watching]));
  }

  hasSlow(type: TelemetryType): boolean {
    for (const stream of streamsOf(type)) {
      for (const { slow } of this.watchers.get(stream) ?? []) if (slow) return true;
    }
    return false;
  }

  /**
   * Undefined for a frame that is no news to a room, since it has had this one or a later one; else the sockets that
   * were told of it, or of a later one, when they came.
   */
  admit(type: TelemetryType, stream: Stream, place: Place): readonly string[] | undefined {
    const last = this.last.get(stream);
    if (last && !isBefore(last, place)) return undefined;
    const isKnown = (told: Map<TelemetryType, Place>) => {
      const known = told.get(type);
      return known !== undefined && !isBefore(known, place);
    };
    return [...this.told].filter(([, told]) => isKnown(told)).map(([watcher]) => watcher.socket.id);
  }

  /** The frame was sent to these rooms: slow watchers are given it when they take again. */
  sent(frame: TelemetryFrame, streams: readonly Stream[], now: number, place?: Place): void {
    this.remember(frame, { at: now, place, sent: true });
    if (place) this.noteLast(frame.type, streams, place);
    for (const watcher of this.of(frame.type, streams)) {
      if (watcher.slow) watcher.hold(frame);
      else watcher.noticeStall(now);
    }
  }

  /** A state of the vehicle, kept for those who come later. */
  remember(
    frame: TelemetryFrame,
    { at, place, sent = false }: { at: number; place: Place | undefined; sent?: boolean },
  ): void {
    if (isEvent(frame.type)) return;
    const known = this.newest.get(frame.type);
    const isNews =
      known?.place && place ? isBefore(known.place, place) : at >= (known?.at ?? Number.NEGATIVE_INFINITY);
    if (isNews) this.newest.set(frame.type, { frame, at, place, sent });
  }

  /** The newest frame of each type, for another replica's watchers. */
  recent(now: number): AgedFrame[] {
    return [...this.newest.values()].map(({ frame, at, place }) => ({ frame, age_ms: now - at, place }));
  }

  /** What a watcher who came at `since` would otherwise wait for; nothing that its rooms have given it already. */
  greet(watcher: Watcher, stream: Stream, since: number, now: number): void {
    const others = this.streamsFor(watcher).filter((other) => other !== stream);
    const homeFirst = [...this.newest.values()].sort(
      (a, b) => Number(b.frame.type === "home") - Number(a.frame.type === "home"),
    );
    for (const { frame, at, place, sent } of homeFirst) {
      const streams = streamsOf(frame.type);
      if (!streams.includes(stream) || streams.some((known) => others.includes(known))) continue;
      if ((sent && at >= since) || (frame.type !== "home" && now - at > FRESH_MS)) continue;
      watcher.socket.emit("telemetry_data", frame);
      if (place) this.told.set(watcher, (this.told.get(watcher) ?? new Map()).set(frame.type, place));
    }
  }

  private noteLast(type: TelemetryType, streams: readonly Stream[], place: Place): void {
    for (const stream of streams) this.last.set(stream, place);
    for (const [watcher, told] of this.told) {
      const known = told.get(type);
      if (known && isBefore(known, place)) told.delete(type);
      if (told.size === 0) this.told.delete(watcher);
    }
  }

  /** A watcher of both a narrow stream and the dashboard is sent a frame once, by the narrow one. */
  private of(type: TelemetryType, among: readonly Stream[] = streamsOf(type)): Watcher[] {
    const [first, second] = streamsOf(type) as [Stream, Stream?];
    const watching = (stream: Stream) => [...(this.watchers.get(stream) ?? [])];
    const reached = among.includes(first) ? watching(first) : [];
    if (!second || !among.includes(second)) return reached;
    const narrow = this.watchers.get(first);
    return narrow ? [...reached, ...watching(second).filter((one) => !narrow.has(one))] : watching(second);
  }
}
