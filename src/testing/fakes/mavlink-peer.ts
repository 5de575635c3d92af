import { type AddressInfo, createServer, type Socket } from "node:net";
import { build, decode, FrameWriter } from "../../vehicle/mavlink/wire/codec";
import { FrameReader } from "../../vehicle/mavlink/wire/frame-reader";
import {
  common,
  type MavLinkData,
  type MavLinkDataConstructor,
  minimal,
} from "../../vehicle/mavlink/wire/messages";

/** A message that the peer received, with its sender. */
export interface Received {
  readonly systemId: number;
  readonly componentId: number;
  readonly message: MavLinkData;
}

export interface MavlinkPeer {
  readonly host: string;
  readonly port: number;
  /** Everything that came, in order, but TIMESYNC requests. */
  readonly received: readonly Received[];
  /** The received messages of one kind. */
  of<T extends MavLinkData>(kind: MavLinkDataConstructor<T>): T[];
  /** Reacts to a kind; a later reaction replaces an earlier one. */
  on<T extends MavLinkData>(kind: MavLinkDataConstructor<T>, react: (message: T) => void): void;
  /** Sends as the autopilot, or as another component. `patch` edits the payload. */
  send(message: MavLinkData, options?: { as?: FrameWriter; patch?: (payload: Buffer) => void }): void;
  /** Breaks the connection. */
  disconnect(): void;
  close(): Promise<void>;
}

export interface PeerOptions {
  /** MAV_AUTOPILOT: 3 ArduPilot, 12 PX4. */
  readonly autopilot?: number;
  /** MAV_TYPE: 2 quadrotor, 10 rover. */
  readonly type?: number;
  readonly systemId?: number;
  readonly heartbeatMs?: number;
  /** Whether it answers TIMESYNC requests, as real ones do; it does. */
  readonly echoes?: boolean;
  /** HEARTBEAT.base_mode and custom_mode, read for every heartbeat. */
  readonly state?: { baseMode: number; customMode: number };
}

/**
 * A scripted autopilot for tests: it speaks real MAVLink over a real socket and does exactly what its test
 * tells it, right or wrong. It does not fly; `simvehicle` does.
 */
export async function startPeer({
  autopilot = 3,
  type = 2,
  systemId = 1,
  heartbeatMs = 50,
  echoes = true,
  state = { baseMode: 1, customMode: 0 },
}: PeerOptions = {}): Promise<MavlinkPeer> {
  const received: Received[] = [];
  const reactions = new Map<number, (message: MavLinkData) => void>();
  const sockets = new Set<Socket>();
  const autopilotWriter = new FrameWriter(systemId, 1);
  const write = (bytes: Buffer) => {
    for (const socket of sockets) socket.write(bytes);
  };
  const heartbeat = () => {
    const { baseMode, customMode } = state;
    const fields = { type, autopilot, baseMode, customMode, systemStatus: 3, mavlinkVersion: 3 };
    write(autopilotWriter.encode(build(minimal.Heartbeat, fields)));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (!message) return;
      if (message instanceof common.TimeSync) {
        if (echoes) write(autopilotWriter.encode(build(common.TimeSync, { tc1: 1n, ts1: message.ts1 })));
        return;
      }
      received.push({ systemId: frame.systemId, componentId: frame.componentId, message });
      reactions.get(frame.id)?.(message);
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk) => reader.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => void sockets.delete(socket));
    heartbeat();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const timer = setInterval(heartbeat, heartbeatMs);

  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    received,
    of: <T extends MavLinkData>(kind: MavLinkDataConstructor<T>) =>
      received.flatMap(({ message }) => (message instanceof kind ? [message] : [])),
    on: <T extends MavLinkData>(kind: MavLinkDataConstructor<T>, react: (message: T) => void) =>
      void reactions.set(kind.MSG_ID, (message) => react(message as T)),
    send: (message, { as = autopilotWriter, patch } = {}) => write(as.encode(message, patch)),
    disconnect: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
