import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { Db } from "./db";

export interface Reader {
  readonly role: string;
  readonly password: string;
}

const ROUNDS = 4096;

/**
 * Make a role that may log in and read these tables, and nothing else; one that exists gets the password and just
 * these rights. Safe to repeat. The one who asks must be allowed to make roles.
 */
export async function ensureReader(
  db: Db,
  { role, password }: Reader,
  tables: readonly string[],
): Promise<void> {
  await db.transaction(async (transaction) => {
    const run = async (template: string, ...names: string[]) => {
      const places = names.map(() => "?::text").join(", ");
      const { rows } = await transaction.raw(`select format(?::text, ${places}) as statement`, [
        template,
        ...names,
      ]);
      await transaction.raw(rows[0].statement);
    };
    // Two at once would both find none.
    await transaction.raw("select pg_advisory_xact_lock(hashtext('reader-role'))");
    const { rows } = await transaction.raw("select 1 from pg_roles where rolname = ?", [role]);
    await run(`${rows.length > 0 ? "ALTER" : "CREATE"} ROLE %I LOGIN PASSWORD %L`, role, verifier(password));
    await run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I", role);
    for (const table of tables) await run("GRANT SELECT ON %I TO %I", table, role);
  });
}

/** What Postgres keeps of a password (RFC 5803), so that the password itself is in no statement and no log of one. */
function verifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, "sha256");
  const keyed = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}
