import { z } from "zod";
import type { RowOf } from "../../platform/postgres/row-of";

export const Email = z.email().max(254).describe("An email address.");

/** Long enough to resist guessing, short enough that hashing one costs no one an outage. */
export const Password = z.string().min(8).max(128).describe("8 to 128 characters.");

export const Credentials = z.object({
  username: z.string().min(1).max(254).describe("The user's email."),
  password: z.string().min(1).max(1024),
});

export const TokenPairReply = z
  .object({
    access_token: z.string().describe("Valid for 10 minutes."),
    refresh_token: z.string().describe("Valid for 12 hours, and only for GET /auth/refresh."),
  })
  .meta({ id: "TokenPair" });

export const UserReply = z
  .object({
    id: z.int(),
    username: z.string().describe("The user's email."),
    level: z.enum(["ADMIN", "CUSTOMER"]).nullable(),
    is_active: z.boolean(),
    ip: z.string().nullable().describe("Address in the user plane of the VPN."),
    created_at: z.string().describe("ISO 8601."),
  })
  .meta({ id: "User" });

/** A user as they may see themselves: no hash, no token. */
export const toUserReply = ({ id, username, level, is_active, ip, created_at }: RowOf<typeof UserReply>) => ({
  id,
  username,
  level,
  is_active,
  ip,
  created_at,
});
