import type { Db } from "../../platform/postgres/db";
import type { User } from "./users.store";

/** Replicas' clocks may differ by as much: a token that has expired here may still be accepted elsewhere. */
const CLOCK_SKEW_MS = 600_000;
/** A request waits no longer than this for a database that does not answer. */
const READ_MS = 3_000;

/**
 * Revoke a token, and notify the channel `fleet_changes`, so that every process closes what is open on it. Rows of
 * tokens that expired are deleted. Returns false when the token was revoked before.
 */
export async function revokeToken(
  db: Db,
  token: { readonly jti: string; readonly expiresAt: number; readonly userId: number },
  now: Date,
): Promise<boolean> {
  await db("revoked_tokens")
    .where("expires_at", "<", new Date(now.getTime() - CLOCK_SKEW_MS))
    .delete();
  const notice = JSON.stringify({ table: "revoked_tokens", op: "insert", id: token.userId });
  const { rows } = await db.raw(
    `WITH inserted AS (
       INSERT INTO revoked_tokens (jti, expires_at) VALUES (?, to_timestamp(?)) ON CONFLICT DO NOTHING RETURNING jti
     ) SELECT pg_notify('fleet_changes', ?) FROM inserted`,
    [token.jti, token.expiresAt, notice],
  );
  return rows.length > 0;
}

/** The columns of a user's row that decide whether the user's tokens are valid. */
export type AccountStatus = Pick<User, "is_active" | "password_changed_at">;

export interface TokenStatus {
  readonly revoked: boolean;
  /** Undefined when the user does not exist. */
  readonly account: AccountStatus | undefined;
}

/** Of a reset token, which names no user, `userId` is undefined. */
export interface TokenKey {
  readonly jti: string;
  readonly userId: number | undefined;
}

interface StatusRow extends AccountStatus {
  readonly jti: string;
  readonly revoked: boolean;
}

/** Reads the status of tokens, by `jti`, in one prepared statement. */
export async function readTokenStatuses(
  db: Db,
  tokens: readonly TokenKey[],
): Promise<ReadonlyMap<string, TokenStatus>> {
  const { rows } = await db
    .raw<{ rows: (StatusRow | (Omit<StatusRow, "is_active"> & { is_active: null }))[] }>(
      `SELECT token.jti, revoked_tokens.jti IS NOT NULL AS revoked, users.is_active, users.password_changed_at
       FROM unnest(?::text[], ?::integer[]) AS token (jti, user_id)
       LEFT JOIN revoked_tokens ON revoked_tokens.jti = token.jti
       LEFT JOIN users ON users.id = token.user_id`,
      [tokens.map(({ jti }) => jti), tokens.map(({ userId }) => userId ?? null) as number[]],
    )
    .options({ name: "read-token-statuses", query_timeout: READ_MS });
  return new Map(
    rows.map(({ jti, revoked, ...account }) => [
      jti,
      { revoked, account: account.is_active === null ? undefined : account },
    ]),
  );
}
