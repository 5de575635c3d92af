import type { Watcher } from "../sockets/watcher";
import { STREAMS, type Stream, streamsOf, type TelemetryType } from "../streams";
import { type EncodedFrame, FrameBatch } from "./frame-batch";

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

  /** To each the frames of its streams, once. Only the dashboard has types of other streams. */
  send(frames: readonly EncodedFrame[]): void {
    if (frames.length === 0) return;
    const now = performance.now();
    const dashboard = this.byStream.get("dashboard");
    for (const [stream, watching] of this.byStream) {
      const isOfStream = ({ frame }: EncodedFrame) => streamsOf(frame.type).includes(stream);
      const batch = new FrameBatch(stream === "dashboard" ? frames : frames.filter(isOfStream));
      if (batch.frames.length === 0) continue;
      for (const watcher of watching) {
        if (watching === dashboard || !dashboard?.has(watcher)) watcher.send(batch, now);
      }
    }
  }
}
