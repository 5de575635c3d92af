import type { Db } from "../../platform/db";
import type { RevokedTokens } from "./blocklist";

interface RevokedToken {
  readonly jti: string;
  readonly expires_at: Date;
}

/** A caller waits no longer than this for a database that does not answer. */
const READ_MS = 3_000;

/** In Postgres; whoever keeps one more throws the expired ones away. */
export const revokedTokens = (db: Db): RevokedTokens => ({
  keep: async (jti, expiresAt, now) => {
    await db<RevokedToken>("revoked_tokens").where("expires_at", "<", now).delete();
    const inserted = await db<RevokedToken>("revoked_tokens")
      .insert({ jti, expires_at: expiresAt })
      .onConflict("jti")
      .ignore()
      .returning("jti");
    return inserted.length > 0;
  },
  kept: (now) =>
    db<RevokedToken>("revoked_tokens")
      .where("expires_at", ">=", now)
      .select("jti", "expires_at")
      .timeout(READ_MS),
});
