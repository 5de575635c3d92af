import { DomainError } from "../domain/errors";
import type { ByteStream, Dial, LinkTarget } from "./byte-stream";
import { dialDirect } from "./dialers/direct";
import { dialThroughJumphost, type JumphostOptions } from "./dialers/jumphost";
import { type MavlinkOptions, openMavlinkLink } from "./mavlink/link";
import { LinkPool, type PoolOptions } from "./pool";

export type { ByteStream, Dial, LinkTarget } from "./byte-stream";
export * from "./flight-plan.plan";
export type * from "./link";
export { LinkPool, type PoolObserver } from "./pool";
export type * from "./vehicle-links";

export interface VehicleOptions extends Omit<PoolOptions, "dial" | "open"> {
  readonly mavlink: MavlinkOptions;
  /** Without one, a target that is dialled through it is refused. */
  readonly jumphost?: JumphostOptions;
  /**
   * Whether a link opened to this target may still be used; asked at every byte that is sent or heard, so that a
   * process that stood still and wakes up says nothing more.
   */
  readonly mayUse?: (target: LinkTarget) => boolean;
}

/** The pool as processes use it: MAVLink over direct TCP or the jumphost, as each target says. */
export function createLinkPool({ mavlink, jumphost, mayUse, ...pool }: VehicleOptions): LinkPool {
  const throughJumphost = jumphost && dialThroughJumphost(jumphost);
  const dial: Dial = (target: LinkTarget, signal: AbortSignal) => {
    if (target.via === "direct") return dialDirect(target, signal);
    if (throughJumphost) return throughJumphost(target, signal);
    return Promise.reject(
      new DomainError("vehicle_unreachable", "No jumphost is configured for this vehicle."),
    );
  };
  const open = (stream: ByteStream, signal: AbortSignal) => openMavlinkLink(stream, mavlink, signal);
  return new LinkPool({ ...pool, dial: mayUse ? guarded(dial, mayUse) : dial, open });
}

const guarded =
  (dial: Dial, mayUse: (target: LinkTarget) => boolean): Dial =>
  async (target, signal) => {
    const stream = await dial(target, signal);
    const isAllowed = () => {
      const allowed = mayUse(target);
      if (!allowed) stream.close();
      return allowed;
    };
    return {
      write: (bytes) => isAllowed() && stream.write(bytes),
      onData: (listener) =>
        stream.onData((chunk) => {
          if (isAllowed()) listener(chunk);
        }),
      onClose: (listener) => stream.onClose(listener),
      close: () => stream.close(),
    };
  };
