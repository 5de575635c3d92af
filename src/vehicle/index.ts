import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { DomainError } from "../domain/errors";
import type { Dial, LinkTarget } from "./byte-stream";
import { dialDirect } from "./dialers/direct";
import { dialThroughJumphost, type JumphostOptions } from "./dialers/jumphost";
import { type MavlinkOptions, openMavlinkLink } from "./mavlink/link";
import type { FrameTap } from "./mavlink/wire/channel";
import { LinkAllowance } from "./mavlink/wire/flood-limit";
import type { StateFollower } from "./newest-state";
import { LinkPool, type PoolOptions } from "./pool";
import type { TransferRecords } from "./transfer-records";

export type { ByteStream, Dial, LinkTarget } from "./byte-stream";
export { Acknowledgement, Plan } from "./calls";
export * from "./flight-plan.plan";
export type * from "./link";
export { compareFences, compareMissions, isPartOfFence } from "./mavlink/missions/stored-item.plan";
export { orderedModes, stoppingModes } from "./mavlink/modes";
export type { FrameTap } from "./mavlink/wire/channel";
export { FLOOD } from "./mavlink/wire/flood-limit";
export type { NewestState, StateFollower } from "./newest-state";
export { LinkPool } from "./pool";
export type { PoolObserver } from "./pooled-link";
export type { PlanTransfer, TransferRecords, UnfinishedTransfer } from "./transfer-records";
export { CLOSED_BY_OWNER, type Subscriber, type SubscriptionState, type VehicleLinks } from "./vehicle-links";

export interface VehicleOptions extends Omit<PoolOptions, "dial" | "open"> {
  readonly mavlink: Omit<MavlinkOptions, "mayUse" | "allowance" | "tap" | "records" | "follower">;
  /** Without one, a target that is dialled through it is refused. */
  readonly jumphost?: JumphostOptions;
  /** Whether a link opened to this target may still be used; see `MavlinkOptions.mayUse`. */
  readonly mayUse?: ((target: LinkTarget) => boolean) | undefined;
  /** Called for each stream that is opened. */
  readonly tap?: ((target: LinkTarget) => FrameTap) | undefined;
  /** Without them, a transfer that breaks off leaves what it left. */
  readonly records?: ((target: LinkTarget) => TransferRecords) | undefined;
  /** Called for each link that is opened. */
  readonly follow?: ((target: LinkTarget) => StateFollower) | undefined;
}

/** Of the drones that were dialled last. */
const MAX_ALLOWANCES = 10_000;

/** The pool as processes use it: MAVLink over direct TCP or the jumphost, as each target says. */
export function createLinkPool({
  mavlink,
  jumphost,
  mayUse,
  tap,
  records,
  follow,
  ...pool
}: VehicleOptions): LinkPool {
  const throughJumphost = jumphost && dialThroughJumphost(jumphost);
  const allowances = new LRUCache<string, LinkAllowance>({
    max: MAX_ALLOWANCES,
    memoMethod: () => new LinkAllowance(),
  });
  const dial: Dial = async (target, signal) => {
    // Every attempt reads more of a flood: orders in a loop would keep the link from ever opening.
    await delay(allowances.memo(target.key).waitMs, undefined, { signal });
    if (target.via === "direct") return dialDirect(target, signal);
    if (throughJumphost) return throughJumphost(target, signal);
    throw new DomainError("vehicle_unreachable", "No jumphost is configured for this vehicle.");
  };
  return new LinkPool({
    ...pool,
    dial,
    open: (stream, signal, target) =>
      openMavlinkLink(
        stream,
        {
          ...mavlink,
          mayUse: mayUse && (() => mayUse(target)),
          allowance: allowances.memo(target.key),
          tap: tap?.(target),
          records: records?.(target),
          follower: follow?.(target),
        },
        signal,
      ),
  });
}
