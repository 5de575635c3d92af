import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
import { RequestRefused } from "./gateway";

interface RetryQueueOptions<T> {
  /** Repeats are made from the step that failed. False when there is nothing to do for it yet: `wake` then. */
  readonly work: (one: T) => Promise<boolean>;
  /** For the log: "record a flight". */
  readonly what: string;
  readonly log: Logger;
  /** Pause before failed work is repeated. */
  readonly retryMs: number;
  readonly ended: AbortSignal;
}

/** Does one task after the other. A task that fails is repeated; one that the gateway refuses is logged and dropped. */
export class RetryQueue<T> {
  private readonly waiting: T[] = [];
  private working = false;

  constructor(private readonly options: RetryQueueOptions<T>) {}

  get size(): number {
    return this.waiting.length;
  }

  get last(): T | undefined {
    return this.waiting.at(-1);
  }

  add(one: T): void {
    this.waiting.push(one);
    void this.wake();
  }

  async wake(): Promise<void> {
    if (this.working) return;
    this.working = true;
    const { work, what, log, retryMs, ended } = this.options;
    for (let one = this.waiting[0]; one && !ended.aborted; one = this.waiting[0]) {
      try {
        if (!(await work(one))) break;
        this.waiting.shift();
      } catch (error) {
        if (error instanceof RequestRefused) {
          log.error({ err: error }, `The gateway refused to ${what}`);
          this.waiting.shift();
          continue;
        }
        log.warn({ err: error }, `Cannot ${what}; retrying`);
        await delay(retryMs, undefined, { signal: ended }).catch(() => undefined);
      }
    }
    this.working = false;
  }
}
