import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { openPort } from "../platform/process/open-port";
import { decode, FrameWriter } from "../vehicle/mavlink/wire/codec";
import { FrameReader } from "../vehicle/mavlink/wire/frame-reader";
import type { MavLinkData } from "../vehicle/mavlink/wire/messages";
import type { Sender } from "./params/param-protocol";

const AUTOPILOT_COMPONENT = 1;
/** Bytes that wait to be sent; beyond, telemetry is dropped as a full radio drops it. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * A vehicle's TCP port. Like ArduPilot's, it serves one client at a time: the next connection is accepted, gets
 * nothing until the previous one has closed, and its bytes are read then.
 */
export class VehiclePort {
  private readonly server: Server;
  private readonly waiting: Socket[] = [];
  private serving: Socket | undefined;
  private readonly writer: FrameWriter;

  private constructor(
    systemId: number,
    private readonly receive: (message: MavLinkData, from: Sender) => void,
    private readonly onConnection: (connected: boolean) => void,
  ) {
    this.writer = new FrameWriter(systemId, AUTOPILOT_COMPONENT);
    // A paused socket is not read: the kernel keeps what a waiting client says.
    this.server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.accept(socket));
  }

  static async listen(
    at: { readonly host: string; readonly port: number; readonly systemId: number },
    receive: (message: MavLinkData, from: Sender) => void,
    onConnection: (connected: boolean) => void,
  ): Promise<VehiclePort> {
    const port = new VehiclePort(at.systemId, receive, onConnection);
    await openPort(port.server, at.port, at.host);
    return port;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Whether a ground station is connected. */
  get connected(): boolean {
    return this.serving !== undefined;
  }

  send(message: MavLinkData): void {
    const { serving } = this;
    if (!serving || serving.writableLength > MAX_BUFFERED_BYTES) return;
    serving.write(this.writer.encode(message));
  }

  /** Closes the client's connection; the port stays open. */
  disconnect(): void {
    this.serving?.destroy();
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.waiting.splice(0)) socket.destroy();
    this.disconnect();
    if (this.server.listening) await once(this.server, "close");
  }

  private accept(socket: Socket): void {
    // A reset by the client ends in "close" as well; the error itself says nothing more.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.left(socket));
    this.waiting.push(socket);
    this.serveNext();
  }

  private serveNext(): void {
    if (this.serving || !this.server.listening) return;
    const socket = this.waiting.shift();
    if (!socket) return;
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message) this.receive(message, { systemId: frame.systemId, componentId: frame.componentId });
    });
    socket.on("data", (chunk) => reader.push(chunk));
    socket.resume();
    this.serving = socket;
    this.onConnection(true);
  }

  private left(socket: Socket): void {
    const at = this.waiting.indexOf(socket);
    if (at >= 0) this.waiting.splice(at, 1);
    if (this.serving !== socket) return;
    this.serving = undefined;
    this.onConnection(false);
    this.serveNext();
  }
}
