import type { TelemetryFrame, TelemetrySocket } from "../events";
import type { FrameBatch } from "../feeds/frame-batch";
import type { TelemetryMetrics } from "../metrics";
import { isEvent, parseRoom, roomOf, type Stream } from "../streams";

/** A socket is slow when it has accepted nothing for this long while something waits for it. */
const STALL_MS = 100;
/** Log lines that wait for a slow socket; the oldest are dropped first. */
export const MAX_HELD_EVENTS = 100;
/** The room of all slow sockets. */
export const SLOW_ROOM = "slow_watchers";

/**
 * With the option by which Socket.IO's adapter encodes a packet once for a room; it takes the bytes of several frames
 * too.
 */
type SendOptions = NonNullable<Parameters<TelemetrySocket["conn"]["write"]>[1]> & {
  readonly wsPreEncodedFrame?: readonly Buffer[];
};

/**
 * One watcher's socket.
 *
 * keeping up: frames sent to its rooms go straight to it.
 * slow:       its connection accepted nothing for a while. Frames are held instead of queued; a newer frame replaces
 *             the held one of the same drone and type, so memory is bounded however long this lasts.
 *
 * slow → keeping up when the connection accepts data again; then the held frames are sent.
 */
export class Watcher {
  /** Whether it watches its user's fleet. */
  watchesFleet = false;
  private isSlow = false;
  private lastFlushAt = performance.now();
  private readonly heldStates = new Map<string, TelemetryFrame>();
  private readonly heldEvents: TelemetryFrame[] = [];

  constructor(
    readonly socket: TelemetrySocket,
    private readonly metrics: TelemetryMetrics,
  ) {
    socket.conn.on("flush", () => {
      this.lastFlushAt = performance.now();
    });
    socket.conn.on("drain", () => this.catchUp());
  }

  get slow(): boolean {
    return this.isSlow;
  }

  get streams(): { droneId: number; stream: Stream }[] {
    return [...this.socket.rooms].flatMap((room) => parseRoom(room) ?? []);
  }

  enter(droneId: number, stream: Stream): void {
    void this.socket.join(roomOf(droneId, stream));
  }

  leave(droneId: number, stream: Stream): void {
    void this.socket.leave(roomOf(droneId, stream));
  }

  sendError(message: string): void {
    this.socket.emit("error", { message });
  }

  /** `now` of the monotonic clock. */
  send(batch: FrameBatch, now: number): void {
    if (this.isSlow) {
      for (const { frame } of batch.frames) this.hold(frame);
      return;
    }
    const { conn } = this.socket;
    if (conn.transport.name === "websocket") {
      const options: SendOptions = { wsPreEncodedFrame: [batch.webSocketBytes] };
      conn.write("", options);
    } else for (const { packet } of batch.frames) conn.write(packet);
    this.noticeStall(now);
  }

  /** To be called after a frame was sent: only a connection with queued data emits `drain`. */
  noticeStall(now: number): void {
    if (this.socket.conn.transport.writable || now - this.lastFlushAt < STALL_MS) return;
    this.isSlow = true;
    void this.socket.join(SLOW_ROOM);
  }

  private hold(frame: TelemetryFrame): void {
    if (isEvent(frame.type)) {
      this.heldEvents.push(frame);
      if (this.heldEvents.length <= MAX_HELD_EVENTS) return;
      this.heldEvents.shift();
      this.metrics.drop("slow_events");
      return;
    }
    const key = `${frame.drone_id} ${frame.type}`;
    if (this.heldStates.has(key)) this.metrics.drop("slow_socket");
    this.heldStates.set(key, frame);
  }

  /** Drops the held frames of a drone that is no longer watched. */
  forget(droneId: number): void {
    for (const [key, frame] of this.heldStates) if (frame.drone_id === droneId) this.heldStates.delete(key);
    const kept = this.heldEvents.filter((frame) => frame.drone_id !== droneId);
    this.heldEvents.splice(0, this.heldEvents.length, ...kept);
  }

  private catchUp(): void {
    if (!this.isSlow) return;
    this.isSlow = false;
    void this.socket.leave(SLOW_ROOM);
    const frames = [...this.heldEvents.splice(0), ...this.heldStates.values()];
    this.heldStates.clear();
    for (const frame of frames) this.socket.emit("telemetry_data", frame);
  }
}
