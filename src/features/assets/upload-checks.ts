import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../platform/postgres/db";
import { KeyedMutex } from "../../platform/semaphore";

/** A gateway that died holds a drone's turn for so long. */
const EXPIRY_SECONDS = 30;
const RENEW_MS = 10_000;
const ASK_MS = 250;
/** Requests whose clients have gone wait too. */
const FULL = { maxWaiting: 24, message: "24 uploads of the drone wait for their check." };

/**
 * Checks of uploads, one at a time per drone on all gateways. Others wait: a drone that completes several pictures at
 * once is in its right. The turn is a row, so that no connection is held while an object is read.
 */
export class UploadChecks {
  private readonly mutex = new KeyedMutex<number>();

  constructor(private readonly db: Db) {}

  /** Rejects with `too_many_requests` when too many wait for the drone's turn here. */
  run<T>(droneId: number, check: () => Promise<T>): Promise<T> {
    return this.mutex.runUnlessFull(droneId, FULL, async () => {
      const holder = randomUUID();
      while (!(await this.take(droneId, holder))) await delay(ASK_MS);
      const renewal = setInterval(() => void this.take(droneId, holder).catch(() => false), RENEW_MS);
      try {
        return await check();
      } finally {
        clearInterval(renewal);
        // Without an answer the turn expires.
        await this.db("upload_checks")
          .where({ drone_id: droneId, holder })
          .delete()
          .catch(() => undefined);
      }
    });
  }

  /** Takes the turn or renews it. */
  private async take(droneId: number, holder: string): Promise<boolean> {
    const { rowCount } = await this.db.raw(
      `INSERT INTO upload_checks (drone_id, holder, expires_at) VALUES (:droneId, :holder, now() + :seconds * interval '1 second')
       ON CONFLICT (drone_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE upload_checks.holder = excluded.holder OR upload_checks.expires_at < now()`,
      { droneId, holder, seconds: EXPIRY_SECONDS },
    );
    return rowCount === 1;
  }
}
