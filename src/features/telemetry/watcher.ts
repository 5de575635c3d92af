import type { TelemetryFrame, TelemetrySocket } from "./events";
import type { Measures } from "./measures";
import { isEvent, parseRoom, roomOf, type Stream } from "./streams";

/** A socket that has taken nothing for this long while something waits for it is slow. */
const STALL_MS = 100;
/** Log lines that wait for a slow socket; the oldest go first. */
const MAX_HELD_EVENTS = 100;
/** The room of all slow sockets, left out when frames are sent to a drone's rooms. */
export const SLOW_ROOM = "slow_watchers";

/**
 * One watcher's socket.
 *
 * keeping up: what is sent to its rooms goes straight to it.
 * slow:       its connection took nothing for a while. Frames are held instead of queued, the newest of each
 *             drone and type in the older one's place, so what waits is bounded however long it lasts.
 *
 * slow → keeping up when the connection takes again; then it is given what was held.
 */
export class Watcher {
  private isSlow = false;
  private lastTakenAt = performance.now();
  private readonly heldStates = new Map<string, TelemetryFrame>();
  private readonly heldEvents: TelemetryFrame[] = [];

  constructor(
    readonly socket: TelemetrySocket,
    private readonly measures: Measures,
  ) {
    socket.conn.on("flush", () => {
      this.lastTakenAt = performance.now();
    });
    socket.conn.on("drain", () => this.catchUp());
  }

  get slow(): boolean {
    return this.isSlow;
  }

  /** What it watches, as its rooms say. */
  get streams(): { droneId: number; stream: Stream }[] {
    return [...this.socket.rooms].flatMap((room) => parseRoom(room) ?? []);
  }

  enter(droneId: number, stream: Stream): void {
    void this.socket.join(roomOf(droneId, stream));
  }

  leave(droneId: number, stream: Stream): void {
    void this.socket.leave(roomOf(droneId, stream));
  }

  /** Something went wrong that the watcher should know. */
  tell(message: string): void {
    this.socket.emit("error", { message });
  }

  /**
   * Call it after a frame was sent to the watcher: only a connection that has something queued will say when
   * it takes again.
   */
  noticeStall(now: number): void {
    if (this.socket.conn.transport.writable || now - this.lastTakenAt < STALL_MS) return;
    this.isSlow = true;
    void this.socket.join(SLOW_ROOM);
  }

  hold(frame: TelemetryFrame): void {
    if (isEvent(frame.type)) {
      this.heldEvents.push(frame);
      if (this.heldEvents.length <= MAX_HELD_EVENTS) return;
      this.heldEvents.shift();
      this.measures.drop("slow_events");
      return;
    }
    const key = `${frame.drone_id} ${frame.type}`;
    if (this.heldStates.has(key)) this.measures.drop("slow_socket");
    this.heldStates.set(key, frame);
  }

  /** Forget what is held of a drone that is no longer watched. */
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
