import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { decode } from "../vehicle/mavlink/wire/codec";
import { FrameReader } from "../vehicle/mavlink/wire/frame-reader";
import { common, type MavLinkData, minimal } from "../vehicle/mavlink/wire/messages";
import { atEndOfFile } from "./clean-up";

export interface VehicleTap {
  /** Where the vehicle is reached through the tap. */
  readonly port: number;
  /** Connections now open. */
  readonly open: number;
  /** The most connections open at one time since the start or the last `reset`. */
  readonly mostOpen: number;
  /** Chunks from a connection that a newer one had replaced more than `REPLACED_MS` before. */
  readonly fromReplaced: number;
  /** When the last heartbeat of a ground station came, by `performance.now()`. */
  readonly heartbeatAt: number;
  /** MAV_CMD numbers of every received copy of an order, in order, without `repetitions`. */
  readonly orders: readonly number[];
  /** The orders that arrived as COMMAND_LONG, whole. */
  readonly commandLongs: readonly common.CommandLong[];
  /** MAV_CMD numbers of the copies that MAVLink's protocol allows; see `Conversation`. */
  readonly repetitions: readonly number[];
  /** Drop each COMMAND_ACK of the vehicle while it is set, but those of requests for messages. */
  withholdAcknowledgements: boolean;
  reset(): void;
}

/** SET_MESSAGE_INTERVAL and REQUEST_MESSAGE change nothing that flies. */
const REQUESTS: ReadonlySet<number> = new Set([511, 512]);

/** Bytes that were sent before the replacement may still arrive for so long. */
const REPLACED_MS = 1_000;

/**
 * What one connection carries, to tell a repetition from a duplicate. It is a repetition when the vehicle had not
 * acknowledged the copy before, and had answered a TIMESYNC request that came after that copy: so nothing was held up
 * on the way.
 */
class Conversation {
  private readonly unanswered = new Map<number, { readonly requests: Set<bigint>; clear: boolean }>();

  isRepetition({ command, ...order }: common.CommandLong | common.CommandInt): boolean {
    const before = this.unanswered.get(command);
    this.unanswered.set(command, { requests: new Set(), clear: false });
    return before?.clear === true && !("confirmation" in order && order.confirmation === 0);
  }

  asked({ ts1 }: common.TimeSync): void {
    for (const { requests } of this.unanswered.values()) requests.add(ts1);
  }

  answered(message: MavLinkData | undefined): void {
    if (message instanceof common.CommandAck) this.unanswered.delete(message.command);
    if (!(message instanceof common.TimeSync) || message.tc1 === 0n) return;
    for (const order of this.unanswered.values()) order.clear ||= order.requests.has(message.ts1);
  }
}

/**
 * A TCP forwarder to a vehicle's port that records the orders and the number of connections.
 * It listens on an address of loopback.
 */
export async function tapVehicle(
  vehicle: { host: string; port: number },
  host = "127.0.0.1",
): Promise<VehicleTap> {
  const open = new Set<Socket>();
  const orders: number[] = [];
  const commandLongs: common.CommandLong[] = [];
  const repetitions: number[] = [];
  let mostOpen = 0;
  let newest: { readonly near: Socket; readonly since: number } | undefined;
  let fromReplaced = 0;
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  const server = createServer((near) => {
    open.add(near);
    mostOpen = Math.max(mostOpen, open.size);
    newest = { near, since: performance.now() };
    const far = connect({ host: vehicle.host, port: vehicle.port, noDelay: true });
    const conversation = new Conversation();
    const answers = new FrameReader((frame) => {
      const message = decode(frame);
      const isOrder = message instanceof common.CommandAck && !REQUESTS.has(message.command);
      if (tap.withholdAcknowledgements && isOrder) return;
      conversation.answered(message);
      near.write(Buffer.from(frame.bytes));
    });
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message instanceof common.TimeSync) conversation.asked(message);
      if (message instanceof minimal.Heartbeat) heartbeatAt = performance.now();
      const isLong = message instanceof common.CommandLong;
      if (!isLong && !(message instanceof common.CommandInt)) return;
      if (conversation.isRepetition(message)) {
        repetitions.push(message.command);
        return;
      }
      orders.push(message.command);
      if (isLong) commandLongs.push(message);
    });
    near.on("data", (chunk) => {
      if (newest && newest.near !== near && performance.now() - newest.since > REPLACED_MS) fromReplaced += 1;
      reader.push(chunk);
      far.write(chunk);
    });
    far.on("data", (chunk) => answers.push(chunk));
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.on("close", () => {
      open.delete(near);
      far.destroy();
    });
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  atEndOfFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const tap: VehicleTap = {
    port: (server.address() as AddressInfo).port,
    get open() {
      return open.size;
    },
    get mostOpen() {
      return mostOpen;
    },
    get fromReplaced() {
      return fromReplaced;
    },
    get heartbeatAt() {
      return heartbeatAt;
    },
    orders,
    commandLongs,
    repetitions,
    withholdAcknowledgements: false,
    reset: () => {
      mostOpen = open.size;
      orders.length = 0;
      commandLongs.length = 0;
      repetitions.length = 0;
    },
  };
  return tap;
}
