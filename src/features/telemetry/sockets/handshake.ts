import type { UserCaller } from "../../../http/route";
import type { TokenWatch } from "../../accounts";
import { errorMessages } from "../error-messages";
import type { Session } from "../events";

export interface HandshakeDeps {
  /** The user of a valid access token; undefined for any other token. */
  readonly userOf: (token: string) => UserCaller | undefined;
  /** Refuses revoked tokens. Absent in the contract profile, which accepts them until they expire. */
  readonly tokenWatch?: Pick<TokenWatch, "add" | "rejection"> | undefined;
}

/**
 * Authenticates a socket by the `token` of its query, once: a socket outlives its token's expiry, because a pilot's
 * picture must not break off in mid-air.
 */
export async function openSession(token: unknown, deps: HandshakeDeps): Promise<Session> {
  if (typeof token !== "string" || token === "") {
    return { refused: errorMessages.no_token.text() };
  }
  const user = deps.userOf(token);
  if (!user) return { refused: errorMessages.invalid_token.text() };
  try {
    const why = await deps.tokenWatch?.rejection(user);
    if (why) return { refused: why };
  } catch {
    return { refused: errorMessages.unchecked_token.text() };
  }
  return { userId: user.id, token: user };
}
