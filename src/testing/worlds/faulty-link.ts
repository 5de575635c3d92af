import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { decode } from "../../vehicle/mavlink/wire/codec";
import type { Frame } from "../../vehicle/mavlink/wire/frame";
import { FrameReader } from "../../vehicle/mavlink/wire/frame-reader";
import { atEndOfFile } from "../clean-up";
import { seededRandom } from "../fakes/mavlink-stream";

/** What goes wrong on the way to a vehicle. All of it may be changed while the link is up. */
export interface LinkFaults {
  /** Percent of the frames lost, in either direction. */
  losePercent: number;
  /** Close the connection, once, after this many more mission items; undefined: never. */
  dropAfterItems: number | undefined;
  /** Called when the vehicle has a mission item: it asks for the next one, or acknowledges the last. */
  onItemTaken: (() => void) | undefined;
  /** Keep the connection open and carry nothing from the vehicle, as behind a dead radio. */
  silent: boolean;
}

interface FaultyLink {
  /** Where the vehicle is reached through the link, on 127.0.0.1. */
  readonly port: number;
  readonly faults: LinkFaults;
}

/** MISSION_ITEM and MISSION_ITEM_INT. */
const ITEMS = new Set([39, 73]);
/** MISSION_REQUEST and MISSION_REQUEST_INT. */
const REQUESTS = new Set([40, 51]);
const MISSION_ACK = 47;

/** Of an item, or of a request for one. */
const sequenceOf = (frame: Frame): number | undefined => (decode(frame) as { seq?: number } | undefined)?.seq;

/** A TCP link to a vehicle's port that loses and delays nothing until its faults say so. */
export async function faultyLink(
  vehicle: { readonly host: string; readonly port: number },
  initial: Partial<LinkFaults> = {},
): Promise<FaultyLink> {
  const faults: LinkFaults = {
    ...{ losePercent: 0, dropAfterItems: undefined, onItemTaken: undefined, silent: false },
    ...initial,
  };
  const random = seededRandom(7);
  const open = new Set<Socket>();
  const isLastItem = (id: number): boolean => {
    if (faults.dropAfterItems === undefined || !ITEMS.has(id)) return false;
    const left = faults.dropAfterItems - 1;
    faults.dropAfterItems = left > 0 ? left : undefined;
    return left <= 0;
  };
  const server = createServer({ noDelay: true }, (ground) => {
    const autopilot = connect({ ...vehicle, noDelay: true });
    /** The sequence number of the item that the vehicle has not answered yet. */
    let sent: number | undefined;
    const observe = (frame: Frame) => {
      if (sent === undefined) return;
      const isTaken = REQUESTS.has(frame.id) ? sequenceOf(frame) === sent + 1 : frame.id === MISSION_ACK;
      if (!isTaken) return;
      sent = undefined;
      faults.onItemTaken?.();
    };
    const carry = (from: Socket, to: Socket) => {
      const reader = new FrameReader((frame) => {
        if (from === autopilot) observe(frame);
        else if (ITEMS.has(frame.id)) sent = sequenceOf(frame);
        const isCarried = from === ground || !faults.silent;
        if (!isCarried || random() * 100 < faults.losePercent) return;
        to.write(Buffer.from(frame.bytes));
        if (isLastItem(frame.id)) to.end(() => from.destroy());
      });
      from.on("data", (chunk: Buffer) => reader.push(chunk));
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    };
    carry(ground, autopilot);
    carry(autopilot, ground);
    for (const socket of [ground, autopilot]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, faults };
}
