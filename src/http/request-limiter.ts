import type { ServerResponse } from "node:http";
import { DomainError } from "../domain/errors";

/** More than any client of ours sends. */
const MAX_REQUESTS = 24;
/** Counted apart: for a pilot who lands a fleet beside whatever else the account does. */
const MAX_EMERGENCY_REQUESTS = 100;
const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the requests that one caller has under way, until their replies are read. Together with the limits of bodies,
 * plans and lists it bounds the memory that one caller can take.
 */
export class RequestLimiter {
  private readonly underWay = new Map<string, number>();

  /** Throws `too_many_requests`. The request counts until `reply` is closed. */
  admit(caller: string, reply: ServerResponse, isEmergency = false): void {
    const most = isEmergency ? MAX_EMERGENCY_REQUESTS : MAX_REQUESTS;
    const key = isEmergency ? `${caller}, emergency` : caller;
    const requests = this.underWay.get(key) ?? 0;
    if (requests >= most)
      throw new DomainError(
        "too_many_requests",
        `You have ${most} requests under way; try again in a few seconds.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (reply.destroyed) return;
    this.underWay.set(key, requests + 1);
    reply.once("close", () => {
      const left = (this.underWay.get(key) ?? 1) - 1;
      if (left > 0) this.underWay.set(key, left);
      else this.underWay.delete(key);
    });
  }
}
