import { setTimeout as delay } from "node:timers/promises";

interface Asked<Ask, Result> {
  ask: Ask;
  readonly result: Promise<Result>;
}

/**
 * Work that is never done twice at a time, such as writing to one resource of the node.
 *
 * idle → running → idle. What is asked for while it runs, or just before, is one further run. An idle lane runs at
 * once; runs follow each other so much apart at least, so that a stream of asks becomes few runs.
 */
export class Lane<Ask, Result> {
  private next: Asked<Ask, Result> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private beganAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly work: (ask: Ask) => Promise<Result>,
    private readonly merge: (earlier: Ask, later: Ask) => Ask,
    private readonly apartMs = 0,
  ) {}

  /** Settles as the run does that began after this was asked. */
  run(ask: Ask): Promise<Result> {
    if (this.next) {
      this.next.ask = this.merge(this.next.ask, ask);
      return this.next.result;
    }
    const asked: Asked<Ask, Result> = {
      ask,
      result: this.last.then(async () => {
        const waitMs = this.beganAt + this.apartMs - performance.now();
        if (waitMs > 0) await delay(waitMs);
        this.beganAt = performance.now();
        this.next = undefined;
        return this.work(asked.ask);
      }),
    };
    this.next = asked;
    this.last = asked.result.catch(() => {});
    return asked.result;
  }
}
