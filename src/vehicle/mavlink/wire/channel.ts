import { DomainError } from "../../../domain/errors";
import type { ByteStream } from "../../byte-stream";
import { decodeAs, FrameWriter } from "./codec";
import { FLOOD, type FloodLimit } from "./flood-limit";
import type { Frame } from "./frame";
import { FrameReader } from "./frame-reader";
import { LinkQuality } from "./link-quality";
import type { MavLinkData, MavLinkDataConstructor } from "./messages";

/** A MAVLink sender's ids. */
interface SenderIds {
  readonly systemId: number;
  readonly componentId: number;
}

/** No real frame takes longer to arrive; on a quiet line a false one would delay the frames behind it. */
const LONGEST_FRAME_MS = 1000;

/** Sees a link's frames in both directions, in their order, before any is filtered. It may not throw. */
export interface FrameTap {
  /** A whole frame; the bytes are valid during the call only. */
  frame(bytes: Buffer): void;
  /** What each heartbeat of the vehicle says of its motors; `heartbeat` is its frame, which `frame` had already. */
  armed(armed: boolean, heartbeat: Buffer): void;
  closed(): void;
}

interface Handler {
  readonly handle: (message: MavLinkData, frame: Frame) => void;
  /** At most one message in so many milliseconds. */
  readonly everyMs: number;
  dueAt: number;
}

/** Those of one message. */
interface Handlers {
  readonly kind: MavLinkDataConstructor<MavLinkData>;
  /** Never changed in place: a handler may end itself or begin another while they are called. */
  list: readonly Handler[];
}

/**
 * MAVLink over one byte stream: frames are cut, filtered, decoded once and passed to the handlers of their message. A
 * message that no handler is due for is never decoded.
 *
 * Filtered means: once the vehicle is known, frames of other senders are dropped, and so are messages that are addressed
 * to another station (a reply to another station's command).
 */
export class Channel {
  /** Undefined until the autopilot has been chosen; until then frames of every sender count. */
  vehicle: SenderIds | undefined;
  readonly quality = new LinkQuality();
  readonly openedAt = performance.now();
  private readonly reader: FrameReader;
  private readonly writer: FrameWriter;
  private readonly handlers = new Map<number, Handlers>();
  private readonly closeListeners = new Set<(reason: string) => void>();
  private closedBecause: string | undefined;
  /** When the chunk that is being read came, and the frames in it so far. */
  private readAt = 0;
  private frames = 0;
  private incomplete: { at: number | undefined; since: number } | undefined;

  constructor(
    private readonly stream: ByteStream,
    readonly self: SenderIds,
    /** Asked before each chunk in either direction, so that a process that wakes up too late stays silent. */
    private readonly mayUse: () => boolean = () => true,
    private readonly floodLimit?: FloodLimit,
    readonly tap?: FrameTap,
  ) {
    this.writer = new FrameWriter(self.systemId, self.componentId);
    this.reader = new FrameReader(
      (frame) => this.receive(frame),
      (sender) => {
        if (this.isVehicle(sender)) this.quality.add(sender.sequence);
      },
    );
    stream.onData((chunk) => {
      if (this.isUsable()) this.read(chunk);
    });
    stream.onClose((reason) => this.closed(reason));
  }

  /**
   * Sends to the vehicle; false when the link is gone and surely nothing was sent. `patch` edits the encoded
   * payload; see `FrameWriter.encode`.
   */
  send(message: MavLinkData, patch?: (payload: Buffer) => void): boolean {
    if (!this.isUsable()) return false;
    const frame = this.writer.encode(message, patch);
    if (!this.stream.write(frame)) return false;
    this.tap?.frame(frame);
    return true;
  }

  /** The ids that a message to the vehicle carries. */
  get target(): { readonly targetSystem: number; readonly targetComponent: number } {
    const { systemId = 0, componentId = 0 } = this.vehicle ?? {};
    return { targetSystem: systemId, targetComponent: componentId };
  }

  /** `everyMs`: for who needs to know what is, and not each message. Returns the function that ends it. */
  on<T extends MavLinkData>(
    kind: MavLinkDataConstructor<T>,
    handle: (message: T, frame: Frame) => void,
    everyMs = 0,
  ): () => void {
    const handlers: Handlers = this.handlers.get(kind.MSG_ID) ?? { kind, list: [] };
    this.handlers.set(kind.MSG_ID, handlers);
    // The registry holds one class per id, so a message decoded for this id is a T.
    const mine: Handler = {
      handle: (message, frame) => handle(message as T, frame),
      ...{ everyMs, dueAt: 0 },
    };
    handlers.list = [...handlers.list, mine];
    return () => {
      handlers.list = handlers.list.filter((each) => each !== mine);
    };
  }

  /** The next message of this kind that satisfies `match`; undefined when it is not in time or the channel closes. */
  next<T extends MavLinkData>(
    kind: MavLinkDataConstructor<T>,
    withinMs: number,
    match: (message: T) => boolean = () => true,
  ): Promise<T | undefined> {
    return new Promise((resolve) => {
      const finish = (message?: T) => {
        clearTimeout(timer);
        for (const stop of unsubscribe) stop();
        resolve(message);
      };
      const timer = setTimeout(finish, withinMs);
      const unsubscribe = [this.on(kind, (message) => match(message) && finish(message))];
      unsubscribe.push(this.onClose(() => finish()));
    });
  }

  onClose(listener: (reason: string) => void): () => void {
    if (this.closedBecause !== undefined) {
      listener(this.closedBecause);
      return () => {};
    }
    this.closeListeners.add(listener);
    return () => void this.closeListeners.delete(listener);
  }

  /** Throws `vehicle_unreachable` once closed. */
  assertOpen(): void {
    if (this.closedBecause !== undefined) throw unreachable(this.closedBecause);
  }

  close(reason: string): void {
    this.closed(reason);
    this.stream.close();
  }

  private isUsable(): boolean {
    if (this.closedBecause !== undefined) return false;
    if (this.mayUse()) return true;
    this.stream.close();
    return false;
  }

  private read(chunk: Buffer): void {
    const { noise } = this.reader;
    const now = performance.now();
    this.readAt = now;
    this.frames = 0;
    this.reader.push(chunk);
    if (this.floodLimit?.endChunk(chunk.length, this.reader.noise - noise, this.frames, now) === false) {
      this.close(FLOOD);
      return;
    }
    const { incompleteAt } = this.reader;
    if (incompleteAt === undefined || incompleteAt !== this.incomplete?.at)
      this.incomplete = { at: incompleteAt, since: now };
    else if (now - this.incomplete.since > LONGEST_FRAME_MS) this.reader.skipIncomplete();
  }

  private receive(frame: Frame): void {
    this.frames += 1;
    this.tap?.frame(frame.bytes);
    const isVehicle = this.isVehicle(frame);
    if (isVehicle) this.quality.add(frame.sequence);
    const handlers = this.handlers.get(frame.id);
    const now = this.readAt;
    if (!handlers?.list.some(({ dueAt }) => dueAt <= now)) return;
    if (this.vehicle && !isVehicle) return;
    if (this.floodLimit?.admitsMessage(frame.id) === false) return;
    const message = decodeAs(frame, handlers.kind);
    if (!isAddressedTo(this.self, message)) return;
    for (const handler of handlers.list) {
      if (handler.dueAt > now) continue;
      handler.dueAt = now + handler.everyMs;
      handler.handle(message, frame);
    }
  }

  private isVehicle({ systemId, componentId }: SenderIds): boolean {
    return systemId === this.vehicle?.systemId && componentId === this.vehicle.componentId;
  }

  private closed(reason: string): void {
    if (this.closedBecause !== undefined) return;
    this.closedBecause = reason;
    this.floodLimit?.stop();
    this.tap?.closed();
    const listeners = [...this.closeListeners];
    this.closeListeners.clear();
    this.handlers.clear();
    for (const listener of listeners) listener(reason);
  }
}

/** Target 0 is every station; messages without a target are broadcast. */
function isAddressedTo(self: SenderIds, message: MavLinkData): boolean {
  const { targetSystem, targetComponent } = message as Partial<
    Record<"targetSystem" | "targetComponent", number>
  >;
  if (targetSystem === undefined || targetSystem === 0) return true;
  if (targetSystem !== self.systemId) return false;
  return targetComponent === undefined || targetComponent === 0 || targetComponent === self.componentId;
}

export const unreachable = (reason: string): DomainError =>
  new DomainError("vehicle_unreachable", `The link to the vehicle is gone: ${reason}.`);
