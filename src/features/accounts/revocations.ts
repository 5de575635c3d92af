import type { UserCaller } from "../../http/route";
import type { Clock } from "../../platform/process/clock";
import { LOGGED_OUT, type VerifiedToken } from "./token-status";

/** Which tokens are refused before they expire. */
export interface Revocations {
  revoke(token: UserCaller): Promise<void>;
  /** Why a verified token is refused, or undefined while it is good. Rejects while that cannot be read. */
  rejection(token: VerifiedToken): Promise<string | undefined>;
}

/** Log-outs of this process, lost when it ends: the contract profile. */
export function processRevocations(clock: Clock): Revocations {
  const expiries = new Map<string, number>();
  return {
    revoke: async ({ jti, expiresAt }) => {
      const now = clock.now().getTime() / 1000;
      for (const [known, expiry] of expiries) if (expiry < now) expiries.delete(known);
      expiries.set(jti, expiresAt);
    },
    rejection: async ({ jti }) => (expiries.has(jti) ? LOGGED_OUT : undefined),
  };
}
