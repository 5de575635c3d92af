import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { endAbandonedCommands } from "./commands.store";

/** Longer than any order takes, with a slow vehicle and a database that is down when its outcome is recorded. */
const ABANDONED_MS = 10 * 60_000;
const INTERVAL_MS = 60_000;

/**
 * Records orders as unknown whose gateway was killed before it could record their outcome. Every gateway does so, at its
 * start and once a minute; doing it twice changes nothing.
 */
export class AbandonedOrders {
  private readonly timer = setInterval(() => this.run(), INTERVAL_MS).unref();
  private running: Promise<void> | undefined;

  constructor(
    private readonly db: Db,
    private readonly log: Logger,
  ) {
    this.run();
  }

  /** Resolves when the run that was under way is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private run(): void {
    this.running ??= this.endAbandoned().finally(() => {
      this.running = undefined;
    });
  }

  private async endAbandoned(): Promise<void> {
    try {
      const orders = await endAbandonedCommands(this.db, ABANDONED_MS);
      if (orders > 0) this.log.warn({ orders }, "Recorded orders of a killed gateway as unknown");
    } catch (error) {
      this.log.warn({ err: error }, "Cannot record abandoned orders: the database does not answer");
    }
  }
}
