import { DomainError } from "../../../domain/errors";
import type { ByteStream } from "../../byte-stream";
import { decodeAs, FrameWriter } from "./codec";
import type { Frame } from "./frame";
import { type FrameCounters, FrameReader } from "./frame-reader";
import type { MavLinkData, MavLinkDataConstructor } from "./messages";

/** Who we are on the wire. */
export interface Station {
  readonly systemId: number;
  readonly componentId: number;
}

/** No real frame takes so long to arrive; on a quiet line a false one would hold up those behind it. */
const LONGEST_FRAME_MS = 1000;

type Handler = (message: MavLinkData, frame: Frame) => void;

/**
 * MAVLink over one byte stream: frames are cut, judged, decoded once and handed to those who asked for their
 * kind; a kind that nobody asked for is never decoded.
 *
 * Judged means: once the vehicle is known, only its autopilot is heard; and a message addressed to another
 * station (a reply to somebody else's command) is not ours.
 */
export class Channel {
  /** Undefined until the autopilot has been chosen; until then every sender is heard. */
  vehicle: Station | undefined;
  private readonly reader: FrameReader;
  private readonly writer: FrameWriter;
  private readonly handlers = new Map<number, Set<Handler>>();
  private readonly kinds = new Map<number, MavLinkDataConstructor<MavLinkData>>();
  private readonly closeListeners = new Set<(reason: string) => void>();
  private closedBecause: string | undefined;
  private waiting: { at: number | undefined; since: number } | undefined;

  constructor(
    private readonly stream: ByteStream,
    readonly self: Station,
  ) {
    this.writer = new FrameWriter(self.systemId, self.componentId);
    this.reader = new FrameReader((frame) => this.receive(frame));
    stream.onData((chunk) => {
      if (this.closedBecause === undefined) this.read(chunk);
    });
    stream.onClose((reason) => this.closed(reason));
  }

  get counters(): Readonly<FrameCounters> {
    return this.reader.counters;
  }

  /**
   * Sends to the vehicle; false when the link is gone and surely nothing was sent. `patch` edits the encoded
   * payload; see `FrameWriter.encode`.
   */
  send(message: MavLinkData, patch?: (payload: Buffer) => void): boolean {
    return this.closedBecause === undefined && this.stream.write(this.writer.encode(message, patch));
  }

  on<T extends MavLinkData>(
    kind: MavLinkDataConstructor<T>,
    handler: (message: T, frame: Frame) => void,
  ): () => void {
    const handlers = this.handlers.get(kind.MSG_ID) ?? new Set();
    this.handlers.set(kind.MSG_ID, handlers);
    // The registry holds one class per id, so what is decoded for this id is a T.
    const entry: Handler = (message, frame) => handler(message as T, frame);
    handlers.add(entry);
    this.kinds.set(kind.MSG_ID, kind);
    return () => void handlers.delete(entry);
  }

  /**
   * Rejects with `vehicle_unreachable` when the channel closes, until released. The promise is for races: it
   * never resolves.
   */
  untilClosed(): { promise: Promise<never>; release: () => void } {
    let release = () => {};
    const promise = new Promise<never>((_, reject) => {
      const fail = (reason: string) => reject(unreachable(reason));
      release = this.onClose(fail);
    });
    promise.catch(() => {});
    return { promise, release };
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

  private read(chunk: Buffer): void {
    this.reader.push(chunk);
    const { waitingAt } = this.reader;
    const now = performance.now();
    if (waitingAt === undefined || waitingAt !== this.waiting?.at)
      this.waiting = { at: waitingAt, since: now };
    else if (now - this.waiting.since > LONGEST_FRAME_MS) this.reader.stopWaiting();
  }

  private receive(frame: Frame): void {
    const handlers = this.handlers.get(frame.id);
    if (!handlers || handlers.size === 0) return;
    const { vehicle, self } = this;
    if (vehicle && (frame.systemId !== vehicle.systemId || frame.componentId !== vehicle.componentId)) return;
    const kind = this.kinds.get(frame.id);
    if (!kind) return;
    const message = decodeAs(frame, kind);
    if (!isFor(message, self)) return;
    for (const handler of [...handlers]) handler(message, frame);
  }

  private closed(reason: string): void {
    if (this.closedBecause !== undefined) return;
    this.closedBecause = reason;
    const listeners = [...this.closeListeners];
    this.closeListeners.clear();
    this.handlers.clear();
    for (const listener of listeners) listener(reason);
  }
}

/** Target 0 is everybody; messages without a target are broadcast. */
function isFor(message: MavLinkData, self: Station): boolean {
  const { targetSystem, targetComponent } = message as Partial<
    Record<"targetSystem" | "targetComponent", number>
  >;
  if (targetSystem === undefined || targetSystem === 0) return true;
  if (targetSystem !== self.systemId) return false;
  return targetComponent === undefined || targetComponent === 0 || targetComponent === self.componentId;
}

export const unreachable = (reason: string): DomainError =>
  new DomainError("vehicle_unreachable", `The link to the vehicle is gone: ${reason}.`);
