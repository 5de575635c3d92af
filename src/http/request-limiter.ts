import type { ServerResponse } from "node:http";
import { DomainError } from "../domain/errors";

/** More than any client of ours sends; with the limits of bodies and plans it bounds the memory that one caller can take. */
const REQUESTS_AT_ONCE = 64;
const RETRY_AFTER_SECONDS = 5;

/** Limits the requests of one caller that are under way at the same time: until their replies are sent. */
export class RequestLimiter {
  private readonly underWay = new Map<string, number>();

  /** Throws `too_many_requests`. The request counts until `reply` is closed. */
  admit(caller: string, reply: ServerResponse): void {
    const count = this.underWay.get(caller) ?? 0;
    if (count >= REQUESTS_AT_ONCE)
      throw new DomainError(
        "too_many_requests",
        `You have ${count} requests under way; try again in a few seconds.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (reply.closed) return;
    this.underWay.set(caller, count + 1);
    reply.once("close", () => {
      const left = (this.underWay.get(caller) ?? 1) - 1;
      if (left > 0) this.underWay.set(caller, left);
      else this.underWay.delete(caller);
    });
  }
}
