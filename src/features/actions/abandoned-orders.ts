import type { Services } from "../../platform/services";
import { endAbandonedCommands } from "./commands.store";

/** Longer than any order takes, with a slow vehicle and a database that is down when its outcome is recorded. */
const ABANDONED_MS = 10 * 60_000;
const INTERVAL_MS = 60_000;

/**
 * Records orders as unknown whose gateway was killed before it could record their outcome. Every gateway does so, now and
 * once a minute; doing it twice changes nothing. Returns the function that stops it, after the run under way.
 */
export function endAbandonedOrders({ db, log }: Pick<Services, "db" | "log">): () => Promise<void> {
  const run = async () => {
    try {
      const orders = await endAbandonedCommands(db, ABANDONED_MS);
      if (orders > 0) log.warn({ orders }, "Recorded orders of a killed gateway as unknown");
    } catch (error) {
      log.warn({ err: error }, "Cannot record abandoned orders: the database does not answer");
    }
  };
  let latest = run();
  const timer = setInterval(() => {
    latest = run();
  }, INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
    return latest;
  };
}
