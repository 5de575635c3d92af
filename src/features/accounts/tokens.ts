import { createSecretKey, type KeyObject, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { TokenTimes, UserCaller } from "../../http/route";
import type { Clock } from "../../platform/process/clock";

const ACCESS_SECONDS = 10 * 60;
const REFRESH_SECONDS = 12 * 60 * 60;
const VERIFICATION_SECONDS = 60 * 60;

export type Level = "ADMIN" | "CUSTOMER";

/**
 * The claims that every token of ours carries and any token must. `sub` is a user's id, or an email in a
 * password-reset token; `level` is only on the pair that an activation returns.
 */
const Claims = z.object({
  sub: z.union([z.int(), z.string()]),
  jti: z.string().min(1),
  type: z.enum(["access", "refresh"]),
  /** Seconds since the epoch. */
  iat: z.int(),
  exp: z.int(),
  /**
   * When the user's password was set, in milliseconds since the epoch. The token is refused once the user has another
   * password; replicas' clocks are not compared. Tokens of earlier releases lack it.
   */
  password_at: z.int().optional(),
  level: z.enum(["ADMIN", "CUSTOMER"]).optional(),
});
export type Claims = z.output<typeof Claims>;

/** What a token carries of its user beside the id. */
interface TokenSubject {
  readonly level?: Level | null;
  readonly password_changed_at?: Date;
}

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

const VERIFICATION_AUDIENCE = "verify-email";

/** Checking a signature costs more than the rest of a short request; a client sends one token for minutes. */
const MAX_VERIFIED_TOKENS = 10_000;

/** Signs and reads every token of the gateway, HS256 under one shared secret. */
export class Tokens {
  readonly key: KeyObject;
  /** Claims by the token's text. */
  private readonly cache = new LRUCache<string, Claims>({ max: MAX_VERIFIED_TOKENS });

  constructor(
    secret: string,
    private readonly clock: Clock,
  ) {
    // With a string jsonwebtoken takes 290 µs for a check, with a key object 5 µs.
    this.key = createSecretKey(Buffer.from(secret, "utf8"));
  }

  pair(userId: number, { level, password_changed_at }: TokenSubject = {}): TokenPair {
    const more = { sub: userId, ...(level ? { level } : {}), ...passwordTime(password_changed_at) };
    return {
      access_token: this.sign({ ...more, type: "access" }, ACCESS_SECONDS),
      refresh_token: this.sign({ ...more, type: "refresh" }, REFRESH_SECONDS),
    };
  }

  /** An access token whose identity is an email: good for setting a password and for nothing else. */
  reset(email: string, { password_changed_at }: TokenSubject = {}): string {
    return this.sign({ sub: email, type: "access", ...passwordTime(password_changed_at) }, ACCESS_SECONDS);
  }

  /** Proves that its bearer reads this mailbox. Not an access token: it has no type. */
  verification(email: string): string {
    return this.sign({ email, aud: VERIFICATION_AUDIENCE }, VERIFICATION_SECONDS);
  }

  /** The email of a verification token, or undefined when it is forged, expired or of another kind. */
  verifiedEmail(token: string): string | undefined {
    try {
      const claims = jwt.verify(token, this.key, {
        algorithms: ["HS256"],
        audience: VERIFICATION_AUDIENCE,
        clockTimestamp: this.seconds(),
      }) as { email?: string };
      return claims.email;
    } catch {
      return undefined;
    }
  }

  /** The claims of a token whose signature was checked before and that has not expired. It may have been revoked since. */
  verified(token: string): Claims | undefined {
    const claims = this.cache.get(token);
    return claims && claims.exp > this.seconds() ? claims : undefined;
  }

  /** Keep the claims of a token whose signature holds. Returns undefined when they are not those of our tokens. */
  keepVerified(token: string, claims: unknown): Claims | undefined {
    const parsed = Claims.safeParse(claims).data;
    if (parsed) this.cache.set(token, parsed);
    return parsed;
  }

  /** The claims of an unexpired token that we signed, or undefined. The token may have been revoked since. */
  verify(token: string): Claims | undefined {
    return this.verified(token) ?? this.check(token);
  }

  /** The user of a valid access token, or undefined. The token may have been revoked since. */
  userOf(token: string): UserCaller | undefined {
    const claims = this.verify(token);
    const id = claims && userIdOf(claims);
    return id && claims.type === "access" ? { id, ...timesOf(claims) } : undefined;
  }

  private check(token: string): Claims | undefined {
    try {
      const options = { algorithms: ["HS256" as const], clockTimestamp: this.seconds() };
      return this.keepVerified(token, jwt.verify(token, this.key, options));
    } catch {
      return undefined;
    }
  }

  private sign(claims: object, seconds: number): string {
    const iat = this.seconds();
    return jwt.sign({ ...claims, jti: randomUUID(), iat, exp: iat + seconds }, this.key, {
      algorithm: "HS256",
    });
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1000);
  }
}

const passwordTime = (password_changed_at: Date | undefined) =>
  password_changed_at ? { password_at: password_changed_at.getTime() } : {};

export const timesOf = ({ jti, iat, exp, password_at }: Claims): TokenTimes => ({
  jti,
  issuedAt: iat,
  expiresAt: exp,
  passwordAt: password_at,
});

/** Beyond it no row has its id. */
const LARGEST_ID = 2_147_483_647;

/** The user id of a token's identity, or undefined when the identity is an email. */
export function userIdOf({ sub }: Claims): number | undefined {
  const id = typeof sub === "number" || /^\d{1,10}$/.test(sub) ? Number(sub) : 0;
  return id > 0 && id <= LARGEST_ID ? id : undefined;
}
