import type { Redis } from "ioredis";
import { Counter, type Registry } from "prom-client";
import { DomainError } from "../../domain/errors";
import { RateLimit } from "../redis/rate-limit";
import { type AmountName, type QuotaName, quotaNames, quotaOf, type RateName } from "./table";

/** A process has the quotas that it counts. */
type Limits = Readonly<Partial<Record<QuotaName, number>>>;

/** The one place where a quota refuses, with 429, the quota's name and when to try again. */
export class Quotas {
  private readonly rates: Readonly<Record<string, RateLimit>>;
  private readonly refusals: Counter<"quota">;

  constructor(
    private readonly limits: Limits,
    { redis, registry }: { readonly redis: Redis; readonly registry: Registry },
  ) {
    this.rates = Object.fromEntries(
      quotaNames.flatMap((name) => {
        const { seconds, batch } = quotaOf(name);
        const tries = limits[name] ?? 0;
        return seconds ? [[name, new RateLimit(redis, { name, tries, seconds, batch })]] : [];
      }),
    );
    this.refusals = new Counter({
      name: "fleet_quota_refusals_total",
      help: "Requests, mails and connections that a quota refused.",
      labelNames: ["quota"],
      registers: [registry],
    });
  }

  /** The limit of a quota; 0 turns it off. */
  limit(name: QuotaName): number {
    return this.limits[name] ?? 0;
  }

  /** Counts one use of a rate. Rejects with `too_many_requests`. While Redis is away each process counts for itself. */
  take(name: RateName, key: string | number): Promise<void> {
    return this.named(name, (rate) => rate.take(String(key)));
  }

  /** Rejects as `take` does when the rate is used up, and counts nothing. */
  check(name: RateName, key: string | number): Promise<void> {
    return this.named(name, (rate) => rate.check(String(key)));
  }

  /** Takes one use of a rate back. */
  giveBack(name: RateName, key: string | number): Promise<void> {
    return this.rate(name).giveBack(String(key));
  }

  /** Uses of a rate in the window that runs. Uses that other processes hold in a batch count too. */
  used(name: RateName, key: string | number): Promise<number> {
    return this.rate(name).used(String(key));
  }

  /** Throws `too_many_requests` when an amount, with what is wanted, is beyond the limit. */
  checkAmount(name: AmountName, amount: number): void {
    const limit = this.limit(name);
    if (limit > 0 && amount > limit) throw this.refusal(name);
  }

  private rate(name: RateName): RateLimit {
    return this.rates[name] as RateLimit;
  }

  private async named(name: RateName, use: (rate: RateLimit) => Promise<void>): Promise<void> {
    try {
      await use(this.rate(name));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw this.refusal(name, error.retryAfterSeconds);
    }
  }

  private refusal(name: QuotaName, retryAfterSeconds?: number): DomainError {
    this.refusals.inc({ quota: name });
    const { per, counts, advice } = quotaOf(name);
    const of = `The quota ${name} is used up (${this.limit(name)} per ${per}: ${counts}).`;
    const when = retryAfterSeconds
      ? `Try again in ${retryAfterSeconds} s.`
      : `${advice ?? ""} Then try again.`;
    return new DomainError(
      "too_many_requests",
      `${of} ${when}`,
      retryAfterSeconds ? { retryAfterSeconds } : {},
    );
  }
}

/**
 * What the quota `orders` is counted by. With the user: it is counted before the drone is read, and other users'
 * tries must not use up the owner's quota.
 */
export const orderQuotaKey = (userId: number, droneId: number): string => `${droneId} of ${userId}`;
