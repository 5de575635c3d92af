import type { WebSocket } from "ws";
import { closeCodes, type Refusal } from "./close";
import type { Keepalive, Peer } from "./keepalive";
import type { RelayMetrics } from "./metrics";
import { Outbox } from "./outbox";

export interface PilotDeps {
  readonly keepalive: Keepalive;
  readonly metrics: RelayMetrics;
  readonly maxBufferedBytes: number;
}

export type OnFrame = (frame: Buffer, binary: boolean) => void;

/**
 * A browser's end of a session.
 *
 * opening: accepted, not read yet, so that what it sends meanwhile waits in the network, in order;
 * live:    its frames go to `onFrame`;
 * closed:  nothing goes either way any more, whatever the socket still holds.
 */
export class Pilot implements Peer {
  alive = true;
  private state: "opening" | "live" | "closed" = "opening";
  private onFrame: OnFrame = () => {};
  private readonly ends: (() => void)[] = [];
  private readonly outbox: Outbox;
  private paused = true;

  constructor(
    private readonly socket: WebSocket,
    { keepalive, metrics, maxBufferedBytes }: PilotDeps,
  ) {
    socket.pause();
    const residence = metrics.residence.of("to_pilot");
    this.outbox = new Outbox(socket, maxBufferedBytes, {
      written: (bytes, arrivedAt) => {
        metrics.toPilot.count(bytes);
        residence.observe((performance.now() - arrivedAt) / 1_000);
      },
      dropped: () => {
        metrics.droppedForPilot += 1;
      },
    });
    socket.on("message", (data, binary) => {
      this.alive = true;
      if (this.state === "live") this.onFrame(data as Buffer, binary);
    });
    socket.on("pong", () => {
      this.alive = true;
    });
    // ws closes by itself, with 1007 or 1009, when a frame breaks the protocol or the limit.
    socket.on("error", () => this.end());
    socket.on("close", (code) => {
      metrics.closed.inc({ code });
      this.end();
    });
    this.onEnd(keepalive.watch(this));
  }

  get closed(): boolean {
    return this.state === "closed";
  }

  /** Read from now on. */
  start(onFrame: OnFrame): void {
    if (this.closed) return;
    this.state = "live";
    this.onFrame = onFrame;
    this.resume();
  }

  /** Send to the browser; the newest frames win when it is slow. */
  send(frame: Buffer, arrivedAt: number, binary = false): void {
    if (this.state !== "closed") this.outbox.send(frame, arrivedAt, binary);
  }

  pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  resume(): void {
    this.paused = false;
    this.socket.resume();
  }

  /** Runs once, as soon as the session is over, for whatever reason; at once when it is over already. */
  onEnd(run: () => void): void {
    if (this.closed) run();
    else this.ends.push(run);
  }

  /** The session is over now; the browser is told why. */
  close(code: number, reason: string): void {
    if (this.closed) return;
    this.end();
    // The browser's answer to the close must be read.
    this.resume();
    this.socket.close(code, reason);
  }

  refuse({ code, message, text }: Refusal): void {
    if (this.closed) return;
    if (text !== undefined) this.socket.send(text);
    this.close(code, message);
  }

  refuseBinary(): void {
    this.close(closeCodes.binaryFrame, "Frames are text.");
  }

  ping(): void {
    // One that is not read cannot answer; it is paused by us, and not for long.
    if (this.paused) this.alive = true;
    else this.socket.ping();
  }

  dead(): void {
    this.end();
    this.socket.terminate();
  }

  private end(): void {
    if (this.closed) return;
    this.state = "closed";
    this.outbox.clear();
    for (const run of this.ends) run();
    this.ends.length = 0;
  }
}
