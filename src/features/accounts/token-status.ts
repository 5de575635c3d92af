import type { TokenTimes } from "../../http/route";
import type { AccountStatus, TokenStatus } from "./revoked-tokens.store";

export const LOGGED_OUT = "The token was logged out; sign in again.";

/** A verified token: of a user, or for setting a password. */
export interface VerifiedToken extends TokenTimes {
  /** The user's id; undefined in a reset token. */
  readonly id: number | undefined;
}

type IssueTimes = Pick<TokenTimes, "issuedAt" | "passwordAt">;

/** Whether a token was issued on another password. Tokens of releases before 0.1 hold only the time of issue. */
export const isOfAnotherPassword = (
  { issuedAt, passwordAt }: IssueTimes,
  { password_changed_at }: Pick<AccountStatus, "password_changed_at">,
): boolean =>
  passwordAt === undefined
    ? (issuedAt + 1) * 1000 <= password_changed_at.getTime()
    : passwordAt !== password_changed_at.getTime();

/** Why an account refuses a token of its user, or undefined. */
export function accountRejection(token: IssueTimes, account: AccountStatus | undefined): string | undefined {
  if (!account) return "This user does not exist any more.";
  if (!account.is_active) return "This user may not sign in any more.";
  return isOfAnotherPassword(token, account) ? "The password has changed; sign in again." : undefined;
}

/** Why a verified token is refused, or undefined while it is good. */
export function tokenRejection(token: VerifiedToken, status: TokenStatus | undefined): string | undefined {
  if (status?.revoked) return LOGGED_OUT;
  return token.id === undefined ? undefined : accountRejection(token, status?.account);
}
