import type { Logger } from "../../platform/process/log";
import { withTimeout } from "../../platform/with-timeout";
import { LeaseConflict, type LeaseRecord, type LeaseStore } from "./lease";

export interface ElectorOptions {
  readonly store: LeaseStore;
  /** Unique to this hub; a daemon that restarts on the same node has the same identity again. */
  readonly identity: string;
  /** A lease that was not renewed for this long may be taken. Whole seconds. */
  readonly durationMs: number;
  /** A holder that could not renew for this long steps down; shorter than the duration by the time that takes. */
  readonly deadlineMs: number;
  /** How often the holder renews. Candidates read the lease twice as often. */
  readonly retryMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Logger;
  /** Store the lease's end before it counts. When that throws, the renewal does not count. */
  readonly storeEnd: (until: number) => void;
  /** Called at once when this hub becomes the holder (true) or stops being it (false). */
  readonly onChange: (isHeld: boolean) => void;
  readonly onFailure: () => void;
}

const JITTER = 0.2;

/** As created beforehand; a released lease keeps its holder's duration. */
const isUntouched = ({ holder, durationSeconds }: LeaseRecord): boolean =>
  holder === "" && durationSeconds === 0;

/** The lease as it was read last; without a record there was none. */
interface ObservedLease {
  readonly record: LeaseRecord | undefined;
  /** Since when it is like that, as far as was looked. */
  readonly since: number;
  readonly lookedAt: number;
}

/**
 * One of several candidates for a lease.
 *
 * waiting → holding → waiting. A waiting candidate takes the lease when it has no holder, or when it has not changed for
 * its whole duration by this node's clock. A holder holds it until the deadline after it sent its last successful
 * renewal, so that it gives up before another candidate may take it, whatever the clocks show.
 */
export class Elector {
  private until = Number.NEGATIVE_INFINITY;
  private notified = false;
  private observed: ObservedLease | undefined;
  private retry: NodeJS.Timeout | undefined;
  private end: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private stopped = false;
  private lastError = "";

  constructor(private readonly options: ElectorOptions) {}

  /** Whether this hub holds the lease now. Ask before each act of the holder. */
  get isHeld(): boolean {
    return this.options.now() < this.until;
  }

  /** For how long this is still the holder without another renewal. */
  get remainingMs(): number {
    return Math.max(0, this.until - this.options.now());
  }

  /** The API server's last answer; undefined before the first one. */
  get lastObserved(): LeaseRecord | undefined {
    return this.observed?.record;
  }

  /** The lease that this hub was left with by the daemon before, until then, still holds. */
  inherit(until: number): void {
    const now = this.options.now();
    if (this.stopped || until <= now || until > now + this.options.deadlineMs) return;
    this.hold(until);
  }

  /** Resolves when the first attempt has ended, whatever came of it. */
  async start(): Promise<void> {
    await this.attempt();
  }

  /** No further attempt; the lease is given up for all but the API server. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.underWay;
    this.letGo();
  }

  /** After `stop`, once nothing of this hub is active any more: another may begin at once. */
  async release(): Promise<void> {
    const { store, identity } = this.options;
    const record = await this.limited(store.read());
    if (record?.holder !== identity) return;
    await this.limited(store.write({ ...record, holder: "", durationSeconds: 1 }, record));
  }

  private async attempt(): Promise<void> {
    if (this.stopped) return;
    this.underWay = this.attemptOnce();
    await this.underWay;
    if (this.stopped) return;
    this.retry = setTimeout(() => void this.attempt(), this.nextInMs());
  }

  private nextInMs(): number {
    const { retryMs, now } = this.options;
    const jittered = retryMs * (1 - JITTER + 2 * JITTER * Math.random());
    if (this.isHeld) return jittered;
    const freeInMs = this.freeAt() - now();
    return freeInMs > 0 ? Math.min(jittered / 2, freeInMs + 1) : jittered / 2;
  }

  private async attemptOnce(): Promise<void> {
    const { log, onFailure } = this.options;
    try {
      await this.renewOrTake();
      if (this.lastError) log.info("Renewing the hub's lease works again");
      this.lastError = "";
    } catch (error) {
      if (error instanceof LeaseConflict) {
        log.info("Another client changed the hub's lease; reading it again");
        return;
      }
      onFailure();
      const message = String(error);
      if (message !== this.lastError) log.error({ err: error }, "Cannot renew or read the hub's lease");
      this.lastError = message;
    }
  }

  private async renewOrTake(): Promise<void> {
    const { store, identity } = this.options;
    // A holder writes against its own last version; other candidates read the lease first.
    const isKnown = this.isHeld && this.observed?.record?.holder === identity;
    let record = isKnown ? this.observed?.record : this.observe(await this.limited(store.read()));
    if (!this.mayTake(record)) {
      if (record) this.letGo();
      return;
    }
    try {
      await this.take(record);
    } catch (error) {
      if (!(error instanceof LeaseConflict)) throw error;
      // Our own write whose answer was lost, or another hub's.
      record = this.observe(await this.limited(store.read()));
      if (record && record.holder !== identity && !isUntouched(record)) this.letGo();
      throw error;
    }
  }

  private async take(before: LeaseRecord | undefined): Promise<void> {
    const { store, identity, durationMs, deadlineMs, now } = this.options;
    const sentAt = now();
    const transitions = (before?.transitions ?? 0) + (before && before.holder !== identity ? 1 : 0);
    const update = { holder: identity, durationSeconds: durationMs / 1000, transitions };
    this.observe(await this.limited(store.write(update, before)));
    if (!this.stopped) this.hold(sentAt + deadlineMs);
  }

  private mayTake(record: LeaseRecord | undefined): boolean {
    const { identity, now } = this.options;
    if (record && !isUntouched(record) && (record.holder === identity || record.holder === "")) return true;
    // The Lease was deleted or made again: another holder may not know of it yet.
    if (this.isHeld && (!record || isUntouched(record))) return true;
    return now() > this.freeAt();
  }

  /** When the lease will not have changed for its whole duration. */
  private freeAt(): number {
    if (!this.observed) return Number.POSITIVE_INFINITY;
    const { record, since } = this.observed;
    // Never sooner than our own setting says, should the holder's be another.
    return since + Math.max((record?.durationSeconds ?? 0) * 1000, this.options.durationMs);
  }

  private observe(record: LeaseRecord | undefined): LeaseRecord | undefined {
    const lookedAt = this.options.now();
    this.observed = { record, since: this.sinceWhen(record, lookedAt), lookedAt };
    return record;
  }

  private sinceWhen(record: LeaseRecord | undefined, now: number): number {
    const { durationMs, deadlineMs } = this.options;
    if (!this.observed || this.observed.record?.version !== record?.version) return now;
    // Between two looks that found no lease, one may have come and gone.
    if (!record && now - this.observed.lookedAt > durationMs - deadlineMs) return now;
    return this.observed.since;
  }

  private hold(until: number): void {
    // It ran out unnoticed, as in a pause of this process: every active part must start anew.
    if (this.notified && !this.isHeld) this.letGo();
    this.options.storeEnd(until);
    this.until = until;
    this.watchEnd();
    this.notify();
  }

  private letGo(): void {
    clearTimeout(this.end);
    this.until = Number.NEGATIVE_INFINITY;
    this.notify();
  }

  private watchEnd(): void {
    clearTimeout(this.end);
    this.end = setTimeout(
      () => {
        if (this.isHeld) return this.watchEnd();
        this.options.log.error("Gave up the hub's lease: it was not renewed in time");
        return this.letGo();
      },
      Math.max(0, this.until - this.options.now()) + 1,
    );
  }

  private notify(): void {
    const { isHeld } = this;
    if (isHeld === this.notified) return;
    this.notified = isHeld;
    this.options.onChange(isHeld);
  }

  /** An answer that comes later than two attempts may be apart counts as no answer. */
  private limited<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return withTimeout(answer, this.options.deadlineMs / 2, "The API server does not answer.");
  }
}
