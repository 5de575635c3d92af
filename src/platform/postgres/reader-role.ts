import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { Db } from "./db";

interface Reader {
  readonly role: string;
  readonly password: string;
}

const ROUNDS = 4096;

/**
 * Create a role that may log in and read these tables only, or give an existing one this password and these rights. Safe
 * to repeat. The connection's own role must be allowed to create roles.
 */
export async function ensureReader(
  db: Db,
  { role, password }: Reader,
  tables: readonly string[],
): Promise<void> {
  await db.transaction(async (transaction) => {
    const run = async (template: string, ...names: string[]) => {
      const placeholders = names.map(() => "?::text").join(", ");
      const { rows } = await transaction.raw(`select format(?::text, ${placeholders}) as statement`, [
        template,
        ...names,
      ]);
      await transaction.raw(rows[0].statement);
    };
    // Concurrent calls would both find no role.
    await transaction.raw("select pg_advisory_xact_lock(hashtext('reader-role'))");
    const { rows } = await transaction.raw("select 1 from pg_roles where rolname = ?", [role]);
    await run(`${rows.length > 0 ? "ALTER" : "CREATE"} ROLE %I LOGIN PASSWORD %L`, role, verifier(password));
    await run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I", role);
    for (const table of tables) await run("GRANT SELECT ON %I TO %I", table, role);
  });
}

/** The form in which Postgres stores a password (RFC 5803): statements and their logs do not hold the password itself. */
function verifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, "sha256");
  const keyed = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}
