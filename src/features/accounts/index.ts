import type { Route } from "../../http/route";
import type { Clock } from "../../platform/clock";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/db";
import type { Mailer } from "../../platform/mail";
import type { Redis } from "../../platform/redis";
import { memoryBlocklist, redisBlocklist } from "./blocklist";
import { tokenGuards } from "./guards";
import { Tokens } from "./tokens";

export { createUser, type UserWish } from "./create-user";
export type { Level } from "./tokens";
export { Tokens } from "./tokens";

interface AccountsDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  readonly mailer: Mailer;
  readonly clock: Clock;
}

/** Users, their tokens and their mails. */
export function accounts({ config, redis, clock }: AccountsDeps) {
  const tokens = new Tokens(config.JWT_SECRET, clock);
  const blocklist =
    config.ACCESS_PROFILE === "strict" ? redisBlocklist(redis, clock) : memoryBlocklist(clock);
  const routes: readonly Route[] = [];
  return { routes, tokens, blocklist, guards: tokenGuards(tokens, blocklist) };
}
