import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { endAbandonedCommands } from "./commands.store";

/** Longer than any order takes, with a vehicle that is slow and a database that is away for its record. */
const ABANDONED_MS = 10 * 60_000;
const LOOK_MS = 60_000;

/**
 * Orders whose gateway was killed before it could record what became of them: nobody knows, and their records say so
 * a while later. Every gateway looks, at its start and from time to time; whoever comes second finds nothing to do.
 */
export class AbandonedOrders {
  private readonly timer = setInterval(() => this.look(), LOOK_MS).unref();
  private looking: Promise<void> | undefined;

  constructor(
    private readonly db: Db,
    private readonly log: Logger,
  ) {
    this.look();
  }

  /** Resolves when the look that was under way is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private look(): void {
    this.looking ??= this.endThem().finally(() => {
      this.looking = undefined;
    });
  }

  private async endThem(): Promise<void> {
    try {
      const orders = await endAbandonedCommands(this.db, ABANDONED_MS);
      if (orders > 0)
        this.log.warn({ orders }, "orders of a gateway that was killed are recorded as unknown");
    } catch (error) {
      this.log.warn({ err: error }, "abandoned orders cannot be looked for just now");
    }
  }
}
