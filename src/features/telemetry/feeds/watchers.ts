import type { Watcher } from "../sockets/watcher";
import { STREAMS, type Stream, streamsOf, type TelemetryType } from "../streams";

/** The watchers of one drone at this replica, by stream. */
export class Watchers {
  private readonly byStream = new Map<Stream, Set<Watcher>>();

  /** Streams with at least one watcher. */
  get rooms(): number {
    return this.byStream.size;
  }

  wants(type: TelemetryType): boolean {
    return streamsOf(type).some((stream) => this.byStream.has(stream));
  }

  add(watcher: Watcher, stream: Stream): void {
    this.byStream.set(stream, (this.byStream.get(stream) ?? new Set()).add(watcher));
  }

  remove(watcher: Watcher, stream: Stream): void {
    const watching = this.byStream.get(stream);
    watching?.delete(watcher);
    if (watching?.size === 0) this.byStream.delete(stream);
  }

  streamsFor(watcher: Watcher): Stream[] {
    return STREAMS.filter((stream) => this.byStream.get(stream)?.has(watcher));
  }

  all(): Set<Watcher> {
    return new Set([...this.byStream.values()].flatMap((watching) => [...watching]));
  }

  hasSlow(type: TelemetryType): boolean {
    for (const stream of streamsOf(type)) {
      for (const { slow } of this.byStream.get(stream) ?? []) if (slow) return true;
    }
    return false;
  }

  /** A watcher of both a narrow stream and the dashboard is called once. */
  forEach(type: TelemetryType, call: (watcher: Watcher) => void): void {
    const [first, second] = streamsOf(type).map((stream) => this.byStream.get(stream));
    for (const watcher of first ?? []) call(watcher);
    for (const watcher of second ?? []) if (!first?.has(watcher)) call(watcher);
  }
}
