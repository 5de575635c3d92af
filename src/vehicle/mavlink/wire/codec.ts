import { MavLinkProtocolV2 } from "node-mavlink";
import { frameCrc } from "./crc";
import type { Frame } from "./frame";
import { type MavLinkData, type MavLinkDataConstructor, MESSAGES } from "./messages";

const protocol = new MavLinkProtocolV2();
/** The library pads a cut payload by a copy for each missing field; one padded scratch spares all of them. */
const scratch = Buffer.alloc(255);

/** The frame's message, or undefined when its id has a checksum but no class here (an exotic dialect). */
export function decode(frame: Frame): MavLinkData | undefined {
  const message = MESSAGES[frame.id];
  return message && decodeAs(frame, message);
}

/**
 * The frame's message as an instance of `message`, whose id the caller has matched with the frame's.
 * Nothing in it refers to the frame's bytes. 64-bit fields are bigint.
 */
export function decodeAs<T extends MavLinkData>(frame: Frame, message: MavLinkDataConstructor<T>): T {
  const payload = scratch.subarray(0, message.PAYLOAD_LENGTH);
  frame.copyPayload(payload);
  return protocol.data(payload, message);
}

/**
 * Encodes messages as MAVLink 2 frames of one sender, with the sequence of one link: a link needs a writer of
 * its own, or the far side counts losses that did not happen.
 */
export class FrameWriter {
  private readonly protocol: MavLinkProtocolV2;
  private sequence = 0;

  constructor(
    readonly systemId: number,
    readonly componentId: number,
  ) {
    this.protocol = new MavLinkProtocolV2(systemId, componentId);
  }

  /**
   * Throws a RangeError when a field does not fit its type. Undefined floats become NaN, other fields 0.
   *
   * `patch` edits the payload as it goes out, its cut-off zeros excepted, for what no field can carry: the
   * bits of an integer in a float field, where a JavaScript number would lose those that spell a NaN.
   */
  encode(message: MavLinkData, patch?: (payload: Buffer) => void): Buffer {
    const frame = this.protocol.serialize(message, this.sequence);
    this.sequence = (this.sequence + 1) & 0xff;
    if (patch) {
      const end = frame.length - 2;
      patch(frame.subarray(10, end));
      const { MAGIC_NUMBER } = message.constructor as MavLinkDataConstructor<MavLinkData>;
      frame.writeUInt16LE(frameCrc(frame, 1, end, MAGIC_NUMBER), end);
    }
    return frame;
  }
}

/** A message with the named fields set, the others as the library defaults them (numbers 0). */
export function build<T extends MavLinkData>(message: MavLinkDataConstructor<T>, fields: Partial<T>): T {
  return Object.assign(new message(), fields);
}
