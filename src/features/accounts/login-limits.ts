import { siteOf } from "../../http/server/network-of";
import type { Redis } from "../../platform/redis/client";
import { RateLimit } from "../../platform/redis/rate-limit";
import type { KnownNetworks } from "./known-networks";

const SECONDS = 900;
/** A site may be a company or a provider's region: it may fail as often as so many of its networks. */
const NETWORKS_OF_SITE = 4;

interface LoginLimitsDeps {
  readonly redis: Redis;
  readonly known: KnownNetworks;
  /** Failed tries of one network on one account. */
  readonly failedTries: RateLimit;
  /** Failed logins that one network may make on all accounts in 15 minutes; 0 turns the limit off. */
  readonly failuresOfNetwork: number;
}

/**
 * Limits failed logins of a network on one account, of a network on all accounts, and of a site. A network that the
 * account knows is counted on this account only: unknown clients that share the network or the site lock nobody out
 * of their account.
 */
export class LoginLimits {
  private readonly ofNetworks: RateLimit;
  private readonly ofSites: RateLimit;

  constructor(private readonly deps: LoginLimitsDeps) {
    const limit = (name: string, tries: number) =>
      new RateLimit(deps.redis, { name, tries, seconds: SECONDS });
    this.ofNetworks = limit("logins", deps.failuresOfNetwork);
    this.ofSites = limit("site-logins", deps.failuresOfNetwork * NETWORKS_OF_SITE);
  }

  /**
   * A login whose password is about to be checked. It counts as failed until it is known to be otherwise. Rejects with
   * `too_many_requests`.
   */
  async begin(account: string, network: string) {
    const { known, failedTries } = this.deps;
    const isKnown = await known.has(account, network);
    const tries = `login:${network}:${account}`;
    const site = siteOf(network);
    const shared: [RateLimit, string][] = isKnown ? [] : [[this.ofNetworks, network]];
    if (!isKnown && site !== network) shared.push([this.ofSites, site]);
    // A network over its limit is refused first, so that it does not use up the account's tries.
    await Promise.all(shared.map(([counted, key]) => counted.check(key)));
    await failedTries.take(tries);
    await Promise.all(shared.map(([counted, key]) => counted.take(key)));
    const giveBackShared = () => shared.map(([counted, key]) => counted.giveBack(key));
    return {
      /** Whether the account was logged in to from this network before. */
      isKnown,
      succeeded: () =>
        Promise.all([failedTries.forgive(tries), known.remember(account, network), ...giveBackShared()]),
      /** The password could not be checked. */
      unchecked: () => Promise.all([failedTries.giveBack(tries), ...giveBackShared()]),
    };
  }
}
