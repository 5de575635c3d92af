import type { PlaneName } from "../../domain/tunnel-planes";
import type { Logger } from "../../platform/process/log";
import type { TunnelMetrics } from "../metrics";
import type { Os } from "../os/os";
import { CoalescingQueue } from "../reconcile/coalescing-queue";
import type { Fleet } from "../reconcile/fleet";
import type { Stages } from "../reconcile/stages";
import { forgetRevoked } from "./conntrack";
import { PairSet } from "./pair-set";
import { type Pair, pairsOf } from "./pairs";

interface PairUpdaterOptions {
  readonly os: Os;
  /** What the rows say; nothing is written until they have been read. */
  readonly fleet: () => Fleet | undefined;
  /** False while a former holder's key may still send from the address. */
  readonly isSettled: (plane: PlaneName, ip: string) => boolean;
  readonly stages: Stages;
  readonly metrics: TunnelMetrics;
  readonly log: Logger;
}

/** In a stream of changes. */
const SETS_APART_MS = 30;
/** The set alone stops packets; forgetting is against what others accept, and reads all known connections. */
const FORGETTING_APART_MS = 250;

/**
 * The one writer of the set of pairs, and of known connections. It closes pairs at once, and opens a pair only when
 * no former holder has one of its addresses any more.
 */
export class PairUpdater {
  private readonly set: PairSet;
  private withheld = 0;
  private forgettingIsDue = false;

  private readonly writes = new CoalescingQueue<void, boolean>(
    () => this.options.stages.outcome("firewall-pairs", this.write()),
    () => undefined,
    SETS_APART_MS,
  );
  private readonly forgetting = new CoalescingQueue<void, boolean>(
    () => this.options.stages.outcome("conntrack", this.forget()),
    () => undefined,
    FORGETTING_APART_MS,
  );

  constructor(private readonly options: PairUpdaterOptions) {
    this.set = new PairSet(options.os);
  }

  /** Whether some pairs wait for an address to become free of its former holder. */
  get hasWithheld(): boolean {
    return this.withheld > 0;
  }

  /** Make the set what it should be. Resolves with whether that succeeded. */
  apply(): Promise<boolean> {
    return this.writes.enqueue();
  }

  /**
   * Compare the kernel's set with what was written: each element when `thorough`, and else its size. The next `apply`
   * repairs what differs. Resolves with whether it could be read.
   */
  inspect(thorough: boolean): Promise<boolean> {
    return this.options.stages.outcome("firewall-pairs", this.set.inspect(thorough));
  }

  /** Forget known connections of pairs that were closed, if any were. Resolves with whether that succeeded. */
  async forgetRevoked(): Promise<boolean> {
    return this.forgettingIsDue ? this.forgetting.enqueue() : true;
  }

  private async write(): Promise<void> {
    const { isSettled, metrics, log } = this.options;
    const fleet = this.options.fleet();
    if (!fleet) return;
    const mayOpen = (pair: Pair) => {
      const [user = "", drone = ""] = pair.split(" ");
      return isSettled("users", user) && isSettled("drones", drone);
    };
    const { opened, closed, withheld } = await this.set.set(pairsOf(fleet), mayOpen);
    this.withheld = withheld;
    metrics.changed("pair-opened", opened);
    metrics.changed("pair-closed", closed);
    if (closed > 0) this.forgettingIsDue = true;
    if (closed > 0 || opened > 0) log.info({ opened, closed }, "Changed the firewall's allowed pairs");
  }

  private async forget(): Promise<void> {
    const fleet = this.options.fleet();
    if (!fleet) return;
    // A pair that is closed while this runs is for the next run.
    this.forgettingIsDue = false;
    try {
      await forgetRevoked(this.options.os, fleet);
    } catch (error) {
      this.forgettingIsDue = true;
      throw error;
    }
  }
}
