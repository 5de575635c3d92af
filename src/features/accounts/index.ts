import type { Route } from "../../http/route";
import { RateLimit } from "../../platform/redis/rate-limit";
import type { Services } from "../../platform/services";
import { accountRoutes } from "./accounts.routes";
import { accountsService } from "./accounts.service";
import { tokenGuards } from "./guards";
import { KnownNetworks } from "./known-networks";
import { LoginLimits } from "./login-limits";
import { processRevocations, type Revocations } from "./revocations";
import { readTokenStatuses, revokeToken } from "./revoked-tokens.store";
import { TokenWatch } from "./token-watch";
import { Tokens } from "./tokens";

export { createUser } from "./create-user";
export { hashPassword } from "./passwords";
export { readTokenStatuses } from "./revoked-tokens.store";
export { TokenWatch } from "./token-watch";
export { type Level, Tokens } from "./tokens";
export { findUser, findUserByName } from "./users.store";

type AccountsDeps = Pick<
  Services,
  "config" | "db" | "redis" | "quotas" | "mailQuotas" | "mailer" | "clock" | "changes" | "lifecycle"
>;

/** Users, their tokens and their mails. */
export function accounts(deps: AccountsDeps) {
  const { config, db, redis, quotas, mailQuotas, mailer, clock, changes, lifecycle } = deps;
  const tokens = new Tokens(config.JWT_SECRET, clock);
  const strict = config.ACCESS_PROFILE === "strict";
  /** Undefined in the contract profile, where a revoked token closes nothing that is open. */
  const tokenWatch = strict ? new TokenWatch((keys) => readTokenStatuses(db, keys), changes) : undefined;
  if (tokenWatch) lifecycle.onDrain("token watch", () => tokenWatch.stop());
  const revocations: Revocations = tokenWatch
    ? {
        revoke: async (token) => void (await revokeToken(db, { ...token, userId: token.id }, clock.now())),
        rejection: (token) => tokenWatch.rejection(token),
      }
    : processRevocations(clock);
  const failedTries = new RateLimit(redis, {
    name: "tries",
    tries: config.LOGIN_FAILURES_PER_15_MINUTES,
    seconds: 900,
  });
  const service = accountsService({
    db,
    clock,
    tokens,
    revocations,
    mailer,
    origin: config.PUBLIC_ORIGIN,
    logins: new LoginLimits({
      redis,
      known: new KnownNetworks(redis, clock),
      failedTries,
      failuresOfNetwork: config.NETWORK_LOGIN_FAILURES_PER_15_MINUTES,
    }),
    failedTries,
    quotas,
    mailQuotas,
  });
  const routes: readonly Route[] = accountRoutes(service, config.ENABLE_REGISTRATION);
  return { routes, tokens, tokenWatch, guards: tokenGuards(tokens, revocations) };
}
