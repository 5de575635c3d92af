import type { Socket } from "node:net";
import { decode, type FrameWriter } from "../vehicle/mavlink/wire/codec";
import { FrameReader } from "../vehicle/mavlink/wire/frame-reader";
import type { MavLinkData } from "../vehicle/mavlink/wire/messages";
import type { Sender } from "./params/param-protocol";

/** Bytes that wait to be sent; beyond, telemetry is dropped as a full radio drops it. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/** One connection of a ground station. */
export class Link {
  private open = true;

  constructor(
    private readonly socket: Socket,
    private readonly writer: FrameWriter,
    receive: (message: MavLinkData, from: Sender) => void,
  ) {
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message) receive(message, { systemId: frame.systemId, componentId: frame.componentId });
    });
    socket.on("data", (chunk) => reader.push(chunk));
    socket.resume();
  }

  send(message: MavLinkData): void {
    if (!this.open || this.socket.writableLength > MAX_BUFFERED_BYTES) return;
    this.socket.write(this.writer.encode(message));
  }

  close(): void {
    this.open = false;
    this.socket.destroy();
  }
}
