import DataLoader from "dataloader";
import type { UserCaller } from "../../http/route";
import type { ChangeListener } from "../../platform/postgres/change-listener";
import type { TokenKey, TokenStatus } from "./revoked-tokens.store";
import { tokenRejection, type VerifiedToken } from "./token-status";

/** How often every watched token is read again, for a notification that was lost or a read that failed. */
const RECHECK_MS = 15_000;

interface WatchedToken {
  readonly token: UserCaller;
  readonly close: (reason: string) => void;
}

/**
 * Closes connections when the token they were opened with is logged out, or its user has a new password, is disabled
 * or is deleted. A token's expiry closes nothing: a pilot must not lose picture and sticks in mid-air.
 */
export class TokenWatch {
  private readonly watched = new Set<WatchedToken>();
  /** One statement for all requests that arrive together. Nothing is cached. */
  private readonly statuses = new DataLoader<TokenKey, TokenStatus | undefined>(
    async (keys) => {
      const statuses = await this.read(keys);
      return keys.map(({ jti }) => statuses.get(jti));
    },
    { cache: false, batchScheduleFn: setImmediate },
  );
  private readonly timer = setInterval(() => void this.recheck().catch(() => {}), RECHECK_MS).unref();

  constructor(
    private readonly read: (tokens: readonly TokenKey[]) => Promise<ReadonlyMap<string, TokenStatus>>,
    changes: Pick<ChangeListener, "subscribe">,
  ) {
    // A read that fails is repeated by the timer.
    changes.subscribe({
      onChange: ({ table, op, id }) => {
        if (table === "revoked_tokens" || (table === "users" && op !== "insert"))
          this.recheck(id).catch(() => {});
      },
      onReconnect: () => void this.recheck().catch(() => {}),
    });
  }

  /** Calls `close` with the reason once the token is refused. Returns the function that stops watching it. */
  add(token: UserCaller, close: WatchedToken["close"]): () => void {
    const watched = { token, close };
    this.watched.add(watched);
    return () => void this.watched.delete(watched);
  }

  /** Why a verified token is refused, or undefined while it is good. Rejects while the database cannot be read. */
  async rejection(token: VerifiedToken): Promise<string | undefined> {
    return tokenRejection(token, await this.statuses.load(keyOf(token)));
  }

  /** Closes what is open on refused tokens, of this user or of all. Rejects while the database cannot be read. */
  async recheck(userId?: number): Promise<void> {
    const watched = [...this.watched].filter(({ token }) => userId === undefined || token.id === userId);
    if (watched.length === 0) return;
    const statuses = await this.read(watched.map(({ token }) => keyOf(token)));
    for (const { token, close } of watched) {
      const reason = tokenRejection(token, statuses.get(token.jti));
      if (reason) close(reason);
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

const keyOf = ({ id, jti }: VerifiedToken): TokenKey => ({ jti, userId: id });
