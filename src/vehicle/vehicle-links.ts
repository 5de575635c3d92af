import type { LinkTarget } from "./byte-stream";
import type { TelemetryMessage, VehicleLink } from "./link";

/**
 * up: telemetry flows. down: the link is lost or did not open; it is retried. ended: the pool let go of the
 * drone for good.
 */
export type SubscriptionState = "up" | "down" | "ended";

export interface Subscriber {
  /** `term` is the fencing number under which the link was opened, where links are leased. */
  onMessage(message: TelemetryMessage, term?: number): void;
  onState?(state: SubscriptionState): void;
  /** For a drone whose link another replica holds, so that its messages do not come here. */
  readonly elsewhere?: {
    /** What the holder is asked, every second while the watch lasts. */
    readonly asked: unknown;
    /** What it answered; see `FleetLinks.serveFeeds`. */
    answered(answer: unknown): void;
  };
}

/** What everything above asks of the drones' links, whichever replica of the gateway holds them. */
export interface VehicleLinks {
  /** Runs `use` with the drone's link. Rejects with `vehicle_unreachable` when there is none in time. */
  withLink<T>(target: LinkTarget, use: (link: VehicleLink) => Promise<T>): Promise<T>;
  /**
   * Watches a drone: its link is opened now or when it can be, and again whenever it is lost. Returns the
   * function that ends the watch.
   */
  subscribe(target: LinkTarget, subscriber: Subscriber | Subscriber["onMessage"]): () => void;
  /** Drops what this process has open to the drone, and every watch of it. Returns whether there was a link. */
  close(key: string, reason?: string): boolean;
  /** The same on every replica. */
  closeEverywhere(key: string, reason?: string): Promise<boolean>;
  /** Links now open in this process. */
  readonly size: number;
}
