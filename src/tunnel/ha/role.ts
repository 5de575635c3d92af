import type { Logger } from "../../platform/process/log";
import { Elector, type ElectorOptions } from "./elector";
import type { HubMetrics } from "./metrics";
import type { TermFile } from "./term-file";

export interface HubRole {
  /** Whether this hub is the one that serves at this very moment. */
  readonly isActive: boolean;
}

export interface LeasedRoleOptions
  extends Omit<ElectorOptions, "noteUntil" | "onChange" | "onFailure" | "now"> {
  readonly now: () => number;
  readonly term: Pick<TermFile, "read" | "write" | "hub">;
  /** What the hub before knew; the takeover waits for it, but not for long. */
  readonly learn: () => Promise<void>;
  /** What the next hub has to know, while this one still serves. Never rejects. */
  readonly tell: () => Promise<void>;
  readonly onActive: () => void;
  /** Everything that serves ends now. Resolves when it has; rejects when something may still serve. */
  readonly onStandby: () => Promise<void>;
  readonly metrics: HubMetrics;
  readonly log: Logger;
}

const LEARN_LIMIT_MS = 1_500;

/**
 * The role of a hub among several: standby → learning → active → standby. It is active only while it holds the
 * lease, which it asks the clock each time, so that a process that was paused is none before it does anything.
 */
export class LeasedRole implements HubRole {
  private readonly elector: Elector;
  private hasLearnt = false;
  private wasActive = false;
  private takingOver: Promise<void> | undefined;
  private term = 0;

  constructor(private readonly options: LeasedRoleOptions) {
    const { term, metrics } = options;
    this.elector = new Elector({
      ...options,
      noteUntil: (until) => term.write(until),
      onChange: (isHeld) => this.changed(isHeld),
      onFailure: () => metrics.leaseFailed(),
    });
  }

  get isActive(): boolean {
    return this.hasLearnt && this.elector.isHeld;
  }

  /** Milliseconds for which the lease still runs; 0 when it is not held. */
  get remainingMs(): number {
    return this.elector.remainingMs;
  }

  get transitions(): number {
    return this.elector.lastSeen?.transitions ?? 0;
  }

  /** Resolves when the role is known, or cannot be known yet: a restart of the holder's daemon is to go unnoticed. */
  async start(): Promise<void> {
    const { store, term, log } = this.options;
    await store.open?.();
    const before = term.read();
    if (before?.hub === term.hub) this.elector.inherit(before.until);
    await this.elector.start();
    await this.takingOver;
    if (this.isActive) return;
    log.info(
      { holder: this.elector.lastSeen?.holder },
      "another hub serves, or none may yet; this one stands by",
    );
  }

  /** Give everything up, then the lease, so that another hub may take over at once. */
  async stop(): Promise<void> {
    const { log, term, tell, onStandby } = this.options;
    if (this.isActive) await tell();
    await this.elector.stop();
    try {
      await onStandby();
      term.write(0);
      await this.elector.release();
      log.info("the hub's lease is released");
    } catch (error) {
      log.warn({ err: error }, "the hub's lease is not released; it runs out by itself");
    }
  }

  private changed(isHeld: boolean): void {
    this.term++;
    if (isHeld) {
      this.takingOver = this.takeOver(this.term);
      return;
    }
    this.hasLearnt = false;
    const { wasActive } = this;
    this.wasActive = false;
    if (!wasActive) return;
    const { log, metrics, onStandby } = this.options;
    log.warn("this hub does not serve any more");
    metrics.active(false);
    onStandby().catch((error) => log.error({ err: error }, "a part of this hub may still serve"));
  }

  private async takeOver(term: number): Promise<void> {
    const { learn, log, metrics, onActive } = this.options;
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      limit = setTimeout(() => reject(new Error("Redis does not answer.")), LEARN_LIMIT_MS);
    });
    try {
      await Promise.race([learn(), late]);
    } catch (error) {
      log.warn(
        { err: error },
        "what the hub before knew cannot be read; idle clients come back by themselves",
      );
    } finally {
      clearTimeout(limit);
    }
    if (term !== this.term || !this.elector.isHeld) return;
    this.hasLearnt = true;
    this.wasActive = true;
    log.info({ transitions: this.transitions }, "this hub serves from now on");
    metrics.active(true);
    onActive();
  }
}
