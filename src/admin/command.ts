import { adminConfig, loadConfig } from "../platform/config";
import { type Db, openDatabase } from "../platform/postgres/db";

/** One thing an operator can do from a shell. It prints what it did and rejects with what was wrong. */
export interface AdminCommand {
  /** `create-user --username EMAIL …` */
  readonly usage: string;
  readonly summary: string;
  run(args: string[]): Promise<void>;
}

/** Run a command's work on the database of DATABASE_URL, or of `url`, and close it whatever happens. */
export async function withDatabase<T>(
  work: (db: Db) => Promise<T>,
  url = loadConfig(adminConfig).DATABASE_URL,
): Promise<T> {
  const db = openDatabase(url, { poolMax: 1, name: "fleet-admin" });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
