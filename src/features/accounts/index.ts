import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import type { Mailer } from "../../platform/mail";
import type { ChangeListener, ChangeSubscriber } from "../../platform/postgres/change-listener";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Redis } from "../../platform/redis/client";
import { rateLimit } from "../../platform/redis/rate-limit";
import type { Subscriber } from "../../platform/redis/subscriber";
import { accountRoutes } from "./accounts.routes";
import { accountsService } from "./accounts.service";
import { type Hear, memoryBlocklist, redisBlocklist } from "./blocklist";
import { tokenGuards } from "./guards";
import { revokedTokens } from "./revoked-tokens.store";
import { SignedIn } from "./signed-in";
import { Standings } from "./standing";
import { Tokens } from "./tokens";
import { standingsOf } from "./users.store";

export { type Blocklist, type Hear, redisBlocklist } from "./blocklist";
export { addUser, createUser, type UserWish } from "./create-user";
export { lendAccount } from "./lend-account";
export { hashPassword } from "./passwords";
export { revokedTokens } from "./revoked-tokens.store";
export { LOGGED_OUT, SignedIn, type SignIn } from "./signed-in";
export { Standings } from "./standing";
export { type Level, Tokens } from "./tokens";
export { standingsOf } from "./users.store";

interface AccountsDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  /** The gateway's other replicas; absent where this is the only one. */
  readonly replicas?: { readonly subscriber: Pick<Subscriber, "onMessage"> };
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly changes: Pick<ChangeListener, "subscribe">;
  readonly lifecycle: Pick<Lifecycle, "onDrain">;
}

/** Users, their tokens and their mails. */
export function accounts({ config, db, redis, replicas, mailer, clock, changes, lifecycle }: AccountsDeps) {
  const tokens = new Tokens(config.JWT_SECRET, clock);
  const strict = config.ACCESS_PROFILE === "strict";
  const hear: Hear | undefined =
    replicas && ((channel, listener) => replicas.subscriber.onMessage(channel, listener));
  const blocklist = strict ? redisBlocklist(redis, clock, revokedTokens(db), hear) : memoryBlocklist(clock);
  const standings = strict ? new Standings((ids) => standingsOf(db, ids)) : undefined;
  /** What is open on a token's word. Absent in the contract profile, where nothing ends it. */
  const signedIn = standings && new SignedIn(blocklist, standings);
  if (signedIn) {
    changes.subscribe(hearsUsers(signedIn));
    lifecycle.onDrain("signed in", () => signedIn.stop());
  }
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
    failedLogins: rateLimit(redis, {
      name: "logins",
      tries: config.NETWORK_LOGIN_FAILURES_PER_15_MINUTES,
      seconds: 900,
    }),
    mails: rateLimit(redis, { name: "mails", tries: config.MAILS_PER_HOUR, seconds: 3600 }),
  });
  const routes: readonly Route[] = accountRoutes(service, config.ENABLE_REGISTRATION);
  return { routes, tokens, signedIn, guards: tokenGuards(tokens, blocklist, standings) };
}

/** To be told of the changes of the database, and of having missed some. */
export const hearsUsers = (signedIn: SignedIn): ChangeSubscriber => ({
  onChange: ({ table, op, id }) => {
    if (table === "users" && op !== "insert") signedIn.userChanged(id);
  },
  onReconnect: () => void signedIn.look(),
});
