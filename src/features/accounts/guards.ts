import type { Context } from "koa";
import koaJwt from "koa-jwt";
import { DomainError } from "../../domain/errors";
import type { Guard } from "../../http/route-guards";
import type { Revocations } from "./revocations";
import { type Claims, type Tokens, timesOf, userIdOf } from "./tokens";

interface TokenGuards {
  readonly user: Guard<"user">;
  readonly refresh: Guard<"refresh">;
  readonly reset: Guard<"reset">;
}

/** The three guards that read a Bearer token. */
export function tokenGuards(tokens: Tokens, revocations: Pick<Revocations, "rejection">): TokenGuards {
  const checkSignature = koaJwt({ secret: tokens.key as never, algorithms: ["HS256"], key: "claims" });
  const claimsOf = async (ctx: Context, type: Claims["type"]): Promise<Claims> => {
    const token = bearerTokenOf(ctx);
    let claims = tokens.verified(token);
    if (!claims) {
      await checkSignature(ctx as never, async () => {});
      claims = tokens.keepVerified(token, ctx.state.claims);
    }
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
      const claims = await claimsOf(ctx, "access");
      const id = idOf(claims);
      await refuseRevoked(claims, id);
      return { id, ...timesOf(claims) };
    },
    // A refresh token cannot be logged out; `AccountsService.refresh` compares it with the user's row.
    refresh: async (ctx) => {
      const claims = await claimsOf(ctx, "refresh");
      return { id: idOf(claims), ...timesOf(claims) };
    },
    // A log-in's token passes here, and finds no user by its identity.
    reset: async (ctx) => {
      const claims = await claimsOf(ctx, "access");
      await refuseRevoked(claims, undefined);
      return { identity: String(claims.sub), ...timesOf(claims) };
    },
  };
}

const bearerTokenOf = (ctx: Context) => /^Bearer (\S+)$/i.exec(ctx.get("authorization").trim())?.[1] ?? "";
