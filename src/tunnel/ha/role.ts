import type { Logger } from "../../platform/process/log";
import { Elector, type ElectorOptions } from "./elector";
import type { LeaseFile } from "./lease-file";
import type { HubMetrics } from "./metrics";

export interface HubRole {
  /** Whether this hub is the one that serves at this very moment. */
  readonly isActive: boolean;
}

export interface LeasedRoleOptions
  extends Omit<ElectorOptions, "storeEnd" | "onChange" | "onFailure" | "now"> {
  readonly now: () => number;
  readonly leaseFile: Pick<LeaseFile, "read" | "write" | "hub">;
  /** Load the peers' endpoints that the previous hub saved. The takeover waits for it. Never rejects. */
  readonly loadEndpoints: () => Promise<void>;
  /** Save the peers' endpoints for the next hub, while this one still serves. Never rejects. */
  readonly saveEndpoints: () => Promise<void>;
  readonly onActive: () => void;
  /** Stop everything that serves. Rejects when something may still serve. */
  readonly onStandby: () => Promise<void>;
  readonly metrics: HubMetrics;
  readonly log: Logger;
}

/**
 * The role of a hub among several: standby → loading endpoints → active → standby. It is active only while it holds the
 * lease. It compares the lease with the clock each time, so that a process that was paused knows first that it is not.
 */
export class LeasedRole implements HubRole {
  private readonly elector: Elector;
  private hasLoadedEndpoints = false;
  private wasActive = false;
  private takingOver: Promise<void> | undefined;
  /** Counts the elector's changes, so that a takeover notices that it is no longer wanted. */
  private changes = 0;

  constructor(private readonly options: LeasedRoleOptions) {
    const { leaseFile, metrics } = options;
    this.elector = new Elector({
      ...options,
      storeEnd: (until) => leaseFile.write(until),
      onChange: (isHeld) => this.changed(isHeld),
      onFailure: () => metrics.leaseFailed(),
    });
  }

  get isActive(): boolean {
    return this.hasLoadedEndpoints && this.elector.isHeld;
  }

  /** Milliseconds for which the lease still runs; 0 when it is not held. */
  get remainingMs(): number {
    return this.elector.remainingMs;
  }

  get transitions(): number {
    return this.elector.lastObserved?.transitions ?? 0;
  }

  /** Resolves when the role is known, or cannot be known yet: a restart of the holder's daemon is to go unnoticed. */
  async start(): Promise<void> {
    const { store, leaseFile, log } = this.options;
    await store.open?.();
    const before = leaseFile.read();
    if (before?.hub === leaseFile.hub) this.elector.inherit(before.until);
    await this.elector.start();
    await this.takingOver;
    if (this.isActive) return;
    log.info({ holder: this.elector.lastObserved?.holder }, "This hub stands by");
  }

  /** Give everything up, then the lease, so that another hub may take over at once. */
  async stop(): Promise<void> {
    const { log, leaseFile, saveEndpoints, onStandby } = this.options;
    if (this.isActive) await saveEndpoints();
    await this.elector.stop();
    try {
      await onStandby();
      leaseFile.write(0);
      await this.elector.release();
      log.info("Released the hub's lease");
    } catch (error) {
      log.warn({ err: error }, "Failed to release the hub's lease; it expires by itself");
    }
  }

  private changed(isHeld: boolean): void {
    this.changes++;
    if (isHeld) {
      this.takingOver = this.takeOver(this.changes);
      return;
    }
    this.hasLoadedEndpoints = false;
    const { wasActive } = this;
    this.wasActive = false;
    if (!wasActive) return;
    const { log, metrics, onStandby } = this.options;
    log.warn("This hub stopped serving");
    metrics.active(false);
    onStandby().catch((error) =>
      log.error({ err: error }, "Failed to stop serving in every part of this hub"),
    );
  }

  private async takeOver(change: number): Promise<void> {
    const { loadEndpoints, log, metrics, onActive } = this.options;
    await loadEndpoints();
    if (change !== this.changes || !this.elector.isHeld) return;
    this.hasLoadedEndpoints = true;
    this.wasActive = true;
    log.info({ transitions: this.transitions }, "This hub serves");
    metrics.active(true);
    onActive();
  }
}
