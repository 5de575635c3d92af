interface Asked<Ask, Result> {
  ask: Ask;
  readonly result: Promise<Result>;
}

/**
 * Work that is never done twice at a time, such as writing to one resource of the node.
 *
 * idle → running → idle. What is asked for while it runs, or just before, is one further run.
 */
export class Lane<Ask, Result> {
  private next: Asked<Ask, Result> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly work: (ask: Ask) => Promise<Result>,
    private readonly merge: (earlier: Ask, later: Ask) => Ask,
  ) {}

  /** Settles as the run does that began after this was asked. */
  run(ask: Ask): Promise<Result> {
    if (this.next) {
      this.next.ask = this.merge(this.next.ask, ask);
      return this.next.result;
    }
    const asked: Asked<Ask, Result> = {
      ask,
      result: this.last.then(() => {
        this.next = undefined;
        return this.work(asked.ask);
      }),
    };
    this.next = asked;
    this.last = asked.result.catch(() => {});
    return asked.result;
  }
}
