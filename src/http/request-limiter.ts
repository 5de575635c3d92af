import type { ServerResponse } from "node:http";
import { DomainError } from "../domain/errors";

/** More than any client of ours sends. */
const MAX_REQUESTS = 32;
/** Three of the longest replies. */
const MAX_UNREAD_BYTES = 33_554_432;
const RETRY_AFTER_SECONDS = 5;

interface Usage {
  requests: number;
  unreadBytes: number;
}

/**
 * Limits what one caller has under way: requests until their replies are sent, and the bytes of these replies. Together
 * with the limits of bodies and plans it bounds the memory that one caller can take.
 */
export class RequestLimiter {
  private readonly usages = new Map<string, Usage>();

  /** Throws `too_many_requests`. The request counts until `reply` is closed. */
  admit(caller: string, reply: ServerResponse): void {
    const usage = this.usages.get(caller) ?? { requests: 0, unreadBytes: 0 };
    if (usage.requests >= MAX_REQUESTS) throw tooMany(`have ${MAX_REQUESTS} requests under way`);
    this.refuseUnread(caller);
    if (reply.closed) return;
    usage.requests += 1;
    this.usages.set(caller, usage);
    reply.once("close", () => {
      usage.requests -= 1;
      if (usage.requests === 0) this.usages.delete(caller);
    });
  }

  /** Throws `too_many_requests` while the caller has too much unread; callers may ask again before they send a reply. */
  refuseUnread(caller: string): void {
    if ((this.usages.get(caller)?.unreadBytes ?? 0) >= MAX_UNREAD_BYTES)
      throw tooMany("have not read the replies to your earlier requests");
  }

  /** A reply's body is handed over to the connection: it counts until `reply` is closed. */
  countReply(caller: string, bytes: number, reply: ServerResponse): void {
    const usage = this.usages.get(caller);
    if (!usage || reply.closed) return;
    usage.unreadBytes += bytes;
    reply.once("close", () => {
      usage.unreadBytes -= bytes;
    });
  }
}

const tooMany = (what: string) =>
  new DomainError("too_many_requests", `You ${what}; try again in a few seconds.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
