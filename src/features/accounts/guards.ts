import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import type { TokenTimes } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import type { Blocklist } from "./blocklist";
import type { Standings } from "./standing";
import { type Claims, type Tokens, userIdOf } from "./tokens";

interface TokenGuards {
  readonly user: Guard<"user">;
  readonly refresh: Guard<"refresh">;
  readonly reset: Guard<"reset">;
}

/**
 * The three guards that read a Bearer token. Without `standings` an access token is good until it expires or is logged
 * out, whatever becomes of its user.
 */
export function tokenGuards(
  tokens: Tokens,
  blocklist: Blocklist,
  standings: Standings | undefined,
): TokenGuards {
  const claimsOf = async (ctx: Context, type: Claims["type"]): Promise<Claims> => {
    const claims = tokens.verify(bearerTokenOf(ctx));
    if (!claims) throw new DomainError("unauthenticated", "A valid token is required.");
    if (await asked(() => blocklist.has(claims.jti)))
      throw new DomainError("unauthenticated", "This token was logged out.");
    if (claims.type !== type) throw new DomainError("unauthenticated", `A valid ${type} token is required.`);
    return claims;
  };
  // 500, not 401: a client whose token is good must not be told to sign in again.
  const asked = async <T>(ask: () => Promise<T> | T): Promise<T> => {
    try {
      return await ask();
    } catch (cause) {
      throw new DomainError("unavailable", "Your sign-in cannot be checked just now; try again shortly.", {
        cause,
      });
    }
  };
  const userOf = (type: Claims["type"]) => async (ctx: Context) => {
    const claims = await claimsOf(ctx, type);
    const id = userIdOf(claims);
    if (!id) throw new DomainError("unauthenticated", "This token is only good for setting a password.");
    // Whether a refresh token is good is asked of the row by whoever trades it.
    const why =
      type === "access" && standings
        ? await asked(() => standings.whyVoid({ id, ...timesOf(claims) }))
        : undefined;
    if (why) throw new DomainError("unauthenticated", why);
    return { id, ...timesOf(claims) };
  };
  return {
    user: userOf("access"),
    refresh: userOf("refresh"),
    reset: async (ctx) => {
      const claims = await claimsOf(ctx, "access");
      return { identity: String(claims.sub), ...timesOf(claims) };
    },
  };
}

const bearerTokenOf = (ctx: Context) => /^Bearer (\S+)$/i.exec(ctx.get("authorization").trim())?.[1] ?? "";

const timesOf = ({ jti, iat, exp, password_at }: Claims): TokenTimes => ({
  jti,
  issuedAt: iat,
  expiresAt: exp,
  passwordAt: password_at,
});
