import type { Route } from "../../http/route";
import type { Clock } from "../../platform/clock";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/db";
import type { Mailer } from "../../platform/mail";
import { rateLimit } from "../../platform/rate-limit";
import type { Redis } from "../../platform/redis";
import { accountRoutes } from "./accounts.routes";
import { accountsService } from "./accounts.service";
import { type Hear, memoryBlocklist, redisBlocklist } from "./blocklist";
import { tokenGuards } from "./guards";
import { revokedTokens } from "./revoked-tokens.store";
import { Tokens } from "./tokens";

export { type Blocklist, type Hear, redisBlocklist } from "./blocklist";
export { createUser, type UserWish } from "./create-user";
export { revokedTokens } from "./revoked-tokens.store";
export { SignedIn } from "./signed-in";
export { type Level, Tokens } from "./tokens";

interface AccountsDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  /** The gateway's other replicas; absent where this is the only one. */
  readonly replicas?: { readonly subscriber: Redis };
  readonly mailer: Mailer;
  readonly clock: Clock;
}

/** Users, their tokens and their mails. */
export function accounts({ config, db, redis, replicas, mailer, clock }: AccountsDeps) {
  const tokens = new Tokens(config.JWT_SECRET, clock);
  const blocklist =
    config.ACCESS_PROFILE === "strict"
      ? redisBlocklist(redis, clock, revokedTokens(db), replicas && hearBy(replicas.subscriber))
      : memoryBlocklist(clock);
  const service = accountsService({
    db,
    clock,
    tokens,
    blocklist,
    mailer,
    origin: config.PUBLIC_ORIGIN,
    failedTries: rateLimit(redis, {
      name: "tries",
      tries: config.LOGIN_FAILURES_PER_15_MINUTES,
      seconds: 900,
    }),
    mails: rateLimit(redis, { name: "mails", tries: config.MAILS_PER_HOUR, seconds: 3600 }),
  });
  const routes: readonly Route[] = accountRoutes(service, config.ENABLE_REGISTRATION);
  return { routes, tokens, blocklist, guards: tokenGuards(tokens, blocklist) };
}

/** By a connection in Redis' subscriber mode that keeps its subscriptions. */
const hearBy =
  (subscriber: Redis): Hear =>
  (channel, listener) => {
    subscriber.on("message", (of, message) => {
      if (of === channel) listener(message);
    });
    // It fails only when the connection is closed for good, and then nothing is open.
    subscriber.subscribe(channel).catch(() => {});
  };
