import type { LinkTarget } from "./byte-stream";
import type { TelemetryMessage, VehicleCalls } from "./link";

/**
 * up: telemetry flows. down: the link is lost or did not open; it is retried. ended: the pool let go of the
 * drone for good.
 */
export type SubscriptionState = "up" | "down" | "ended";

export interface Subscriber {
  /** `term` is the fencing number under which the link was opened, where links are leased. */
  onMessage(message: TelemetryMessage, term?: number): void;
  /** `reason`: why a link that was open is down. */
  onState?(state: SubscriptionState, reason?: string): void;
  /** It only keeps the link open; see `VehicleLinks.hold`. */
  readonly holds?: true;
  /** For a drone whose link another replica holds, so that its messages do not come here. */
  readonly remote?: {
    /** Sent to the holder every second while the subscription lasts. */
    readonly request: unknown;
    /** The holder's reply; see `ClusterLinks.serveFeeds`. */
    onReply(reply: unknown): void;
  };
}

/** The reason of a close after which the link is not held again until somebody uses it. */
export const CLOSED_BY_OWNER = "closed by its owner";

/** The drones' links, whichever replica of the gateway holds them. */
export interface VehicleLinks {
  /** Runs `use` with the drone's link. Rejects with `vehicle_unreachable` when no link opens in time. */
  withLink<T>(target: LinkTarget, use: (link: VehicleCalls) => Promise<T>): Promise<T>;
  /**
   * Watches a drone: its link is opened now or when it can be, and again whenever it is lost. Returns the
   * function that ends the subscription.
   */
  subscribe(target: LinkTarget, subscriber: Subscriber): () => void;
  /**
   * Keeps the links of exactly these drones open where this process has them or nobody does, and opens them again. A
   * vehicle gets our heartbeats only while somebody else uses or watches it too. A link that its owner closed stays
   * closed, since its port may serve one client only.
   */
  hold(targets: readonly LinkTarget[]): Promise<void>;
  /** Drops what this process has open to the drone, and its subscriptions. Returns whether there was a link. */
  close(key: string, reason?: string): boolean;
  /** The same on every replica. */
  closeEverywhere(key: string, reason?: string): Promise<boolean>;
  /** Links now open in this process. */
  readonly size: number;
}
