import type { PlaneName } from "../../domain/tunnel-planes";
import type { Logger } from "../../platform/process/log";
import { Lane } from "../lane";
import type { TunnelMetrics } from "../metrics";
import type { Steps } from "../steps";
import type { Firewall } from "./firewall";
import type { Pair } from "./pairs";

export interface PairKeeperOptions {
  readonly firewall: Pick<Firewall, "setPairs" | "forgetRevoked">;
  /** Nobody but the member whom the database has there answers to the address. */
  readonly isSettled: (plane: PlaneName, ip: string) => boolean;
  readonly steps: Steps;
  readonly metrics: TunnelMetrics;
  readonly log: Logger;
}

/** In a stream of changes. */
const SETS_APART_MS = 30;
/** The set alone stops packets; forgetting is against what others accept, and reads all known connections. */
const FORGETTING_APART_MS = 250;

/**
 * The one writer of the set of pairs, and of known connections. It closes at once, and opens a pair only when
 * nobody else holds one of its addresses any more.
 */
export class PairKeeper {
  private pairs: ReadonlySet<Pair> = new Set();
  private withheld = 0;
  private forgettingIsDue = false;

  private readonly setLane = new Lane<void, boolean>(
    () => this.options.steps.do("firewall-pairs", () => this.setNow()),
    () => undefined,
    SETS_APART_MS,
  );
  private readonly conntrackLane = new Lane<void, boolean>(
    () => this.options.steps.do("conntrack", () => this.forgetNow()),
    () => undefined,
    FORGETTING_APART_MS,
  );

  constructor(private readonly options: PairKeeperOptions) {}

  /** Who may reach whom, from now on. */
  want(pairs: ReadonlySet<Pair>): void {
    this.pairs = pairs;
  }

  /** Whether some pairs wait for an address to become free of its former holder. */
  get waits(): boolean {
    return this.withheld > 0;
  }

  /** Make the set what it should be. Resolves with whether that succeeded. */
  set(): Promise<boolean> {
    return this.setLane.run();
  }

  /** Forget known connections of pairs that were closed, if any were. Resolves with whether that succeeded. */
  async forget(): Promise<boolean> {
    return this.forgettingIsDue ? this.conntrackLane.run() : true;
  }

  private async setNow(): Promise<void> {
    const { firewall, isSettled, metrics, log } = this.options;
    const mayOpen = (pair: Pair) => {
      const [user = "", drone = ""] = pair.split(" ");
      return isSettled("users", user) && isSettled("drones", drone);
    };
    const { opened, closed, withheld } = await firewall.setPairs(this.pairs, mayOpen);
    this.withheld = withheld;
    metrics.changed("pair-opened", opened);
    metrics.changed("pair-closed", closed);
    if (closed > 0) this.forgettingIsDue = true;
    if (closed > 0 || opened > 0) log.info({ opened, closed }, "the firewall's pairs changed");
  }

  private async forgetNow(): Promise<void> {
    // What is closed while this runs is for the next run.
    this.forgettingIsDue = false;
    try {
      await this.options.firewall.forgetRevoked(this.pairs);
    } catch (error) {
      this.forgettingIsDue = true;
      throw error;
    }
  }
}
