import type { ServerResponse } from "node:http";
import { DomainError } from "../domain/errors";

/** More than any client of ours sends. */
const MAX_REQUESTS = 24;
const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the requests that one caller has under way, until their replies are read. Together with the limits of bodies,
 * plans and lists it bounds the memory that one caller can take.
 */
export class RequestLimiter {
  private readonly underWay = new Map<string, number>();

  /** Throws `too_many_requests`. The request counts until `reply` is closed. */
  admit(caller: string, reply: ServerResponse): void {
    const requests = this.underWay.get(caller) ?? 0;
    if (requests >= MAX_REQUESTS)
      throw new DomainError(
        "too_many_requests",
        `You have ${MAX_REQUESTS} requests under way; try again in a few seconds.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (reply.closed) return;
    this.underWay.set(caller, requests + 1);
    reply.once("close", () => {
      const left = (this.underWay.get(caller) ?? 1) - 1;
      if (left > 0) this.underWay.set(caller, left);
      else this.underWay.delete(caller);
    });
  }
}
