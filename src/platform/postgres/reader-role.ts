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
    // Concurrent calls would both find no role.
    await transaction.raw("select pg_advisory_xact_lock(hashtext('reader-role'))");
    const { rows } = await transaction.raw("select 1 from pg_roles where rolname = ?", [role]);
    const verb = rows.length > 0 ? "ALTER" : "CREATE";
    await transaction.raw(`${verb} ROLE ?? LOGIN PASSWORD '${verifier(password)}'`, [role]);
    await transaction.raw("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ??", [role]);
    for (const table of tables) await transaction.raw("GRANT SELECT ON ?? TO ??", [table, role]);
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
