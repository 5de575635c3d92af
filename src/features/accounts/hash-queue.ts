import { DomainError } from "../../domain/errors";

/** A caller that waits for a password's hash. */
export interface HashCaller {
  /** The caller's /48 or IPv4 address; see `siteOf`. */
  readonly site: string;
  /** From a network of the account's earlier logins, or with a token that was mailed to its owner. */
  readonly isKnown: boolean;
}

interface WaitingCaller {
  readonly site: string;
  readonly start: () => void;
}

/** Callers of each kind that wait; some three seconds of work. */
const MAX_WAITING = 128;
/** Of these, callers of one site. */
const MAX_WAITING_OF_SITE = 32;

/**
 * Runs one task at a time. Known and unknown callers take turns, so that a flood of either does not stop the others. No
 * site can fill a queue alone.
 */
export class HashQueue {
  private isRunning = false;
  private lastWasKnown = false;
  private readonly known: WaitingCaller[] = [];
  private readonly unknown: WaitingCaller[] = [];

  /** Rejects with `too_many_requests` while too many wait. */
  async run<T>(caller: HashCaller, task: () => Promise<T>): Promise<T> {
    await this.turn(caller);
    try {
      return await task();
    } finally {
      this.startNext();
    }
  }

  private startNext(): void {
    const [first, second] = this.lastWasKnown ? [this.unknown, this.known] : [this.known, this.unknown];
    const queue = first.length > 0 ? first : second;
    this.lastWasKnown = queue === this.known;
    const next = queue.shift();
    if (next) next.start();
    else this.isRunning = false;
  }

  private turn({ site, isKnown }: HashCaller): Promise<void> | void {
    if (!this.isRunning) {
      this.isRunning = true;
      return;
    }
    const queue = isKnown ? this.known : this.unknown;
    const ofSite = queue.filter((waiting) => waiting.site === site).length;
    if (queue.length >= MAX_WAITING || ofSite >= MAX_WAITING_OF_SITE) {
      const message = "Too many people send passwords at this moment; try again in a few seconds.";
      throw new DomainError("too_many_requests", message, { retryAfterSeconds: 5 });
    }
    return new Promise((start) => queue.push({ site, start }));
  }
}
