import type { Socket } from "node:net";
import { decode, type FrameWriter } from "../vehicle/mavlink/wire/codec";
import { FrameReader } from "../vehicle/mavlink/wire/frame-reader";
import type { MavLinkData } from "../vehicle/mavlink/wire/messages";
import type { Faults } from "./faults";
import type { Sender } from "./param-protocol";
import type { Random } from "./random";

/** MISSION_ITEM and MISSION_ITEM_INT. */
const ITEMS = new Set([39, 73]);
/** Bytes that wait to be sent; beyond, telemetry is dropped as a full radio drops it. */
const MOST_BUFFERED = 256 * 1024;

/** One connection, with everything that the faults do to it. */
export class Link {
  private readonly late = new Set<NodeJS.Timeout>();
  private readonly reader: FrameReader;
  private open = true;

  constructor(
    private readonly socket: Socket,
    private readonly writer: FrameWriter,
    private readonly faults: Faults,
    private readonly random: Random,
    receive: (message: MavLinkData, from: Sender) => void,
  ) {
    this.reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (!message) return;
      const from = { systemId: frame.systemId, componentId: frame.componentId };
      const { loseReceived, duplicateReceived, delayReceived } = faults;
      this.disturb(loseReceived, duplicateReceived, delayReceived, () => {
        receive(message, from);
        this.countItem(frame.id);
      });
    });
    socket.on("data", (chunk) => this.reader.push(chunk));
    socket.resume();
  }

  send(message: MavLinkData): void {
    if (!this.open || this.socket.writableLength > MOST_BUFFERED) return;
    const id = messageId(message);
    // Encoded before it is lost, so that the far side sees the gap in the sequence.
    const bytes = this.writer.encode(message);
    const { loseSent, duplicateSent, delaySent } = this.faults;
    this.disturb(loseSent, duplicateSent, delaySent, () => {
      this.socket.write(bytes);
      this.countItem(id);
    });
  }

  close(): void {
    this.open = false;
    for (const timer of this.late) clearTimeout(timer);
    this.late.clear();
    this.socket.destroy();
  }

  private disturb(lose: number, duplicate: number, delay: number, pass: () => void): void {
    if (this.faults.silent) return;
    if (lose > 0 && this.random() * 100 < lose) return;
    const times = duplicate > 0 && this.random() * 100 < duplicate ? 2 : 1;
    for (let count = 0; count < times; count++) {
      if (delay > 0) this.afterDelay(delay, pass);
      else if (this.open) pass();
    }
  }

  private afterDelay(milliseconds: number, pass: () => void): void {
    const timer = setTimeout(() => {
      this.late.delete(timer);
      if (this.open) pass();
    }, milliseconds);
    this.late.add(timer);
  }

  private countItem(id: number): void {
    const left = this.faults.dropAfterItems;
    if (left === undefined || !ITEMS.has(id)) return;
    this.faults.dropAfterItems = left > 1 ? left - 1 : undefined;
    if (left <= 1) this.close();
  }
}

const messageId = (message: MavLinkData): number =>
  (message.constructor as unknown as { readonly MSG_ID: number }).MSG_ID;
