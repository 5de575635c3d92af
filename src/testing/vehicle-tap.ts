import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { decode } from "../vehicle/mavlink/wire/codec";
import { FrameReader } from "../vehicle/mavlink/wire/frame-reader";
import { common, type MavLinkData } from "../vehicle/mavlink/wire/messages";
import { atEndOfFile } from "./clean-up";

export interface VehicleTap {
  /** Where the vehicle is reached through the tap. */
  readonly port: number;
  /** Connections now open. */
  readonly open: number;
  /** The most that were open at one time since the tap was made, or since it was forgotten. */
  readonly mostOpen: number;
  /** Times that something came over a connection which a newer one had replaced long before. */
  readonly overtaken: number;
  /** MAV_CMD numbers of every copy of an order that came, in order, but for `repetitions`. */
  readonly orders: readonly number[];
  /** Those of them that came as COMMAND_LONG, whole. */
  readonly longs: readonly common.CommandLong[];
  /** MAV_CMD numbers of the copies that MAVLink's protocol allows; see `Conversation`. */
  readonly repetitions: readonly number[];
  /** Drop each COMMAND_ACK of the vehicle while it is set. */
  withholdAcknowledgements: boolean;
  forget(): void;
}

/** What was sent before may still be on its way. */
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
 * A cable to a vehicle's port that carries everything, and keeps what was ordered and over how many connections.
 * It listens on an address of loopback.
 */
export async function tapVehicle(
  vehicle: { host: string; port: number },
  host = "127.0.0.1",
): Promise<VehicleTap> {
  const open = new Set<Socket>();
  const orders: number[] = [];
  const longs: common.CommandLong[] = [];
  const repetitions: number[] = [];
  let mostOpen = 0;
  let newest: { readonly near: Socket; readonly since: number } | undefined;
  let overtaken = 0;
  const server = createServer((near) => {
    open.add(near);
    mostOpen = Math.max(mostOpen, open.size);
    newest = { near, since: performance.now() };
    const far = connect({ host: vehicle.host, port: vehicle.port, noDelay: true });
    const conversation = new Conversation();
    const answers = new FrameReader((frame) => {
      if (tap.withholdAcknowledgements && frame.id === common.CommandAck.MSG_ID) return;
      conversation.answered(decode(frame));
      near.write(Buffer.from(frame.bytes));
    });
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message instanceof common.TimeSync) conversation.asked(message);
      const isLong = message instanceof common.CommandLong;
      if (!isLong && !(message instanceof common.CommandInt)) return;
      if (conversation.isRepetition(message)) {
        repetitions.push(message.command);
        return;
      }
      orders.push(message.command);
      if (isLong) longs.push(message);
    });
    near.on("data", (chunk) => {
      if (newest && newest.near !== near && performance.now() - newest.since > REPLACED_MS) overtaken += 1;
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
    get overtaken() {
      return overtaken;
    },
    orders,
    longs,
    repetitions,
    withholdAcknowledgements: false,
    forget: () => {
      mostOpen = open.size;
      orders.length = 0;
      longs.length = 0;
      repetitions.length = 0;
    },
  };
  return tap;
}
