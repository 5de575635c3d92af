import type { Db } from "../../platform/postgres/db";
import type { RevokedToken, RevokedTokens } from "./blocklist";

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
  kept: (now, after, limit) =>
    db<RevokedToken>("revoked_tokens")
      .where("jti", ">", after)
      .where("expires_at", ">=", now)
      .orderBy("jti")
      .limit(limit)
      .select("jti", "expires_at")
      .timeout(READ_MS),
});
