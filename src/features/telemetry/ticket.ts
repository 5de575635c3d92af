import { newTicket } from "./adapters";
import { KEEP_MS, type Recovery, type Remembered } from "./recovery";
import type { Watcher } from "./watcher";

/** Together these are one change; a replica that is killed within has not told its client yet. */
const SETTLE_MS = 20;

/**
 * What one socket watches, kept so that its client is in its rooms again after a drop of the network, whichever
 * replica it comes back to. Redis away means only that a client must subscribe again itself.
 */
export class Ticket {
  private readonly id = newTicket();
  private settling: NodeJS.Timeout | undefined;
  private keeping: NodeJS.Timeout | undefined;
  private left = false;

  constructor(
    private readonly watcher: Watcher,
    private readonly userId: number,
    private readonly recovery: Recovery,
  ) {}

  /**
   * The client's library shows the last text that ended any event's arguments, which it takes for a place in a
   * stream. This event is for that alone.
   */
  give(): void {
    this.watcher.socket.emit("session", this.id);
  }

  changed(): void {
    if (this.left) return;
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      this.save("open");
    }, SETTLE_MS);
    this.keeping ??= setInterval(() => this.save("open"), KEEP_MS).unref();
  }

  /** The socket goes, and is still in its rooms. */
  leaving(reason: string): void {
    this.left = true;
    clearTimeout(this.settling);
    clearInterval(this.keeping);
    if (reason.endsWith("namespace disconnect")) this.recovery.drop(this.id).catch(() => {});
    else this.save("away");
  }

  /** The client came back with this former ticket. */
  replaces(former: string): void {
    this.recovery.drop(former).catch(() => {});
  }

  private save(state: "open" | "away"): void {
    this.recovery.save(this.id, this.remembered(), state).catch(() => {});
  }

  private remembered(): Remembered {
    return {
      user_id: this.userId,
      socket_id: this.watcher.socket.id,
      streams: this.watcher.streams.map(({ droneId, stream }) => ({
        drone_id: droneId,
        stream_type: stream,
      })),
    };
  }
}
