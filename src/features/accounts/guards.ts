import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import type { Guards } from "../../http/route-guards";
import type { Revocations } from "./revocations";
import { type Claims, type Tokens, timesOf, userIdOf } from "./tokens";

/** The three guards that read a Bearer token. */
export function tokenGuards(
  tokens: Tokens,
  revocations: Pick<Revocations, "rejection">,
): Pick<Guards, "user" | "refresh" | "reset"> {
  const claimsOf = (ctx: Context, type: Claims["type"]): Claims => {
    const claims = tokens.verify(bearerTokenOf(ctx));
    if (!claims) throw new DomainError("unauthenticated", "A valid token is required.");
    if (claims.type !== type) throw new DomainError("unauthenticated", `A valid ${type} token is required.`);
    return claims;
  };
  const refuseRevoked = async (claims: Claims, id: number | undefined): Promise<void> => {
    const why = await revocations.rejection({ id, ...timesOf(claims) }).catch((cause: unknown) => {
      // 500, not 401: a client whose token is good must not be told to sign in again.
      const message = "Your sign-in cannot be checked just now; try again shortly.";
      throw new DomainError("unavailable", message, { cause });
    });
    if (why) throw new DomainError("unauthenticated", why);
  };
  const idOf = (claims: Claims): number => {
    const id = userIdOf(claims);
    if (!id) throw new DomainError("unauthenticated", "This token is only good for setting a password.");
    return id;
  };
  return {
    user: async (ctx) => {
      const claims = claimsOf(ctx, "access");
      const id = idOf(claims);
      await refuseRevoked(claims, id);
      return { id, ...timesOf(claims) };
    },
    // A refresh token cannot be logged out; `AccountsService.refresh` compares it with the user's row.
    refresh: async (ctx) => {
      const claims = claimsOf(ctx, "refresh");
      return { id: idOf(claims), ...timesOf(claims) };
    },
    // A log-in's token passes here, and finds no user by its identity.
    reset: async (ctx) => {
      const claims = claimsOf(ctx, "access");
      await refuseRevoked(claims, undefined);
      return { identity: String(claims.sub), ...timesOf(claims) };
    },
  };
}

const bearerTokenOf = (ctx: Context) => /^Bearer (\S+)$/i.exec(ctx.get("authorization").trim())?.[1] ?? "";
