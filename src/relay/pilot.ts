import type { WebSocket } from "ws";
import { closeCodes } from "../domain/relay-sockets";
import { keepAlive, type Peer } from "../http/server/keep-alive";
import type { CloseError } from "./close-error";
import type { RelayMetrics } from "./metrics";
import { SendBuffer } from "./send-buffer";

export interface PilotDeps {
  readonly pingMs: number;
  readonly metrics: RelayMetrics;
  readonly maxBufferedBytes: number;
}

export type OnFrame = (frame: Buffer, binary: boolean) => void;

/**
 * A browser's end of a session.
 *
 * opening: accepted and not read yet, so its frames wait in the network, in order;
 * live:    its frames go to `onFrame`;
 * closed:  no frame passes in either direction, whatever the socket still holds.
 */
export class Pilot implements Peer {
  alive = true;
  private state: "opening" | "live" | "closed" = "opening";
  private onFrame: OnFrame = () => {};
  private readonly ends: (() => void)[] = [];
  private readonly buffer: SendBuffer;
  private paused = true;

  constructor(
    private readonly socket: WebSocket,
    { pingMs, metrics, maxBufferedBytes }: PilotDeps,
  ) {
    socket.pause();
    this.buffer = new SendBuffer(socket, maxBufferedBytes, metrics.toPilot);
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
    this.onEnd(keepAlive(this, pingMs));
  }

  get closed(): boolean {
    return this.state === "closed";
  }

  /** Reads frames from now on. */
  start(onFrame: OnFrame): void {
    if (this.closed) return;
    this.state = "live";
    this.onFrame = onFrame;
    this.resume();
  }

  /** Sends to the browser; the newest frames win when it is slow. */
  send(frame: Buffer, arrivedAt: number, binary = false): void {
    if (this.state !== "closed") this.buffer.send(frame, arrivedAt, binary);
  }

  get isPaused(): boolean {
    return this.paused;
  }

  pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  resume(): void {
    this.paused = false;
    this.socket.resume();
  }

  /** Runs once, as soon as the session is over; at once when it is over already. */
  onEnd(run: () => void): void {
    if (this.closed) run();
    else this.ends.push(run);
  }

  /** Ends the session and sends the browser a close frame. */
  close(code: number, reason: string): void {
    if (this.closed) return;
    this.end();
    // To read the browser's close frame.
    this.resume();
    this.socket.close(code, reason);
  }

  closeWith({ code, message, text }: CloseError): void {
    if (this.closed) return;
    if (text !== undefined) this.socket.send(text);
    this.close(code, message);
  }

  refuseBinary(): void {
    this.close(closeCodes.binaryFrame, "Frames are text.");
  }

  ping(): void {
    // A paused socket is not read, so its pong would not be seen. Of a client that is gone the write fails.
    if (this.paused) this.alive = true;
    this.socket.ping();
  }

  dead(): void {
    this.end();
    this.socket.terminate();
  }

  private end(): void {
    if (this.closed) return;
    this.state = "closed";
    this.buffer.clear();
    for (const run of this.ends) run();
    this.ends.length = 0;
  }
}
