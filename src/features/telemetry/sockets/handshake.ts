import type { UserCaller } from "../../../http/route";
import type { TokenWatch } from "../../accounts";
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
    return { refused: "Connect with the query parameter token=<access token>." };
  }
  const user = deps.userOf(token);
  if (!user) return { refused: "The token is not a valid access token; it may have expired." };
  try {
    const why = await deps.tokenWatch?.rejection(user);
    if (why) return { refused: why };
  } catch {
    return { refused: "The token cannot be checked just now; try again shortly." };
  }
  return { userId: user.id, token: user };
}
