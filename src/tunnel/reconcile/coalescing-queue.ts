import { setTimeout as delay } from "node:timers/promises";

interface Queued<Request, Result> {
  request: Request;
  readonly result: Promise<Result>;
}

/**
 * Runs work one at a time and merges the requests that wait into one, such as writes to one resource of the node.
 *
 * idle → running → idle. An idle queue runs a request at once. Runs start `minIntervalMs` apart at least, so that a
 * stream of requests becomes few runs.
 */
export class CoalescingQueue<Request, Result> {
  private next: Queued<Request, Result> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private startedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly work: (request: Request) => Promise<Result>,
    private readonly merge: (earlier: Request, later: Request) => Request,
    private readonly minIntervalMs = 0,
  ) {}

  /** Settles as the run does that carries this request out. */
  enqueue(request: Request): Promise<Result> {
    if (this.next) {
      this.next.request = this.merge(this.next.request, request);
      return this.next.result;
    }
    const queued: Queued<Request, Result> = {
      request,
      result: this.last.then(async () => {
        const waitMs = this.startedAt + this.minIntervalMs - performance.now();
        if (waitMs > 0) await delay(waitMs);
        this.startedAt = performance.now();
        this.next = undefined;
        return this.work(queued.request);
      }),
    };
    this.next = queued;
    this.last = queued.result.catch(() => {});
    return queued.result;
  }
}
