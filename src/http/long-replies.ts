import type { ServerResponse } from "node:http";
import { FairQueue } from "../platform/fair-queue";
import type { Registry } from "../platform/process/metrics";
import { HeldBytes } from "./held-bytes";

/** Long replies that one process makes at the same time; the longest take some hundred megabytes each while they are made. */
const MADE_AT_ONCE = 4;
/** Of one caller: what is in the making is unread by nobody yet, and so goes beyond his limit. */
const MADE_AT_ONCE_OF_CALLER = 2;
/** Requests that wait for their turn; each is a connection and little more. */
const MOST_WAITING = 1_000;
/** Shorter ones are not counted: the connections bound them. */
export const SHORT_REPLY_BYTES = 65_536;

export interface ReplyLimits {
  readonly HTTP_MAX_UNREAD_BYTES: number;
  readonly HTTP_MAX_UNREAD_BYTES_PER_CALLER: number;
}

/**
 * What a process holds of replies that grow with what somebody has. So many are made at a time, callers taking turns; and
 * whoever leaves too much unread is told no before anything is done for him. What was done is always told, however long
 * it is, so that nobody is shut out from a list of his own. Nor is he by others who do not read theirs: who has nothing
 * unread is served beyond `HTTP_MAX_UNREAD_BYTES`, and a process holds twice as much and the replies that were in the
 * making then.
 */
export class LongReplies {
  private readonly unread: HeldBytes;
  /** By whom they wait for: while the object store is silent, so are those that wait for it, and nobody else. */
  private readonly queues = {
    database: this.queue("Too many ask for long lists at this moment"),
    store: this.queue("Too many ask for videos at this moment"),
  };

  constructor(limits: ReplyLimits, registry: Registry) {
    this.unread = new HeldBytes(
      {
        ofCaller: limits.HTTP_MAX_UNREAD_BYTES_PER_CALLER,
        ofAll: limits.HTTP_MAX_UNREAD_BYTES,
        gauge: {
          name: "fleet_http_unread_reply_bytes",
          help: "Bytes of replies of 64 KiB and more that their readers have yet to take.",
        },
        refused: {
          name: "fleet_http_long_replies_refused_total",
          help: "Requests refused because their caller, or all callers, left too much unread, or too many waited.",
          reasons: ["caller", "process", "waiting"],
        },
        words: {
          caller: "You have yet to read what was sent to you",
          process: "Too much is being sent at this moment",
        },
      },
      registry,
    );
  }

  /**
   * Rejects as `work` does, and with `too_many_requests` or `overloaded`. `gone`: the caller hung up. `from`: whom `work`
   * waits for.
   */
  make<T>(
    caller: string,
    work: () => Promise<T>,
    gone: AbortSignal,
    from: keyof LongReplies["queues"] = "database",
  ): Promise<T> {
    return this.queues[from].run(
      caller,
      () => {
        this.unread.admit(caller);
        return work();
      },
      gone,
    );
  }

  private queue(words: string): FairQueue {
    return new FairQueue({
      atOnce: MADE_AT_ONCE,
      ofLineAtOnce: MADE_AT_ONCE_OF_CALLER,
      mostWaiting: MOST_WAITING,
      refusal: () => this.unread.refusal("waiting", words),
    });
  }

  /** A reply's body is handed over: it is counted until the reply is over. */
  count(caller: string, bytes: number, reply: ServerResponse): void {
    if (bytes < SHORT_REPLY_BYTES || reply.closed) return;
    this.unread.add(caller, bytes);
    reply.once("close", () => this.unread.add(caller, -bytes));
  }
}
