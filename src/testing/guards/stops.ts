type Stop = () => unknown;

const signals = ["SIGINT", "SIGTERM"] as const;
/** As a shell counts a program that a signal ended. */
const INTERRUPTED = 130;

/**
 * What a program of its own, such as a benchmark, has started and has to end: last started, first stopped. The
 * servers are in groups of their own, so that nobody else ends them when this process is interrupted; it then does
 * so and exits. A second signal ends this process at once.
 */
export class Stops {
  private readonly stops: Stop[] = [];
  private clearing: Promise<void> | undefined;

  constructor() {
    for (const signal of signals) process.once(signal, this.interrupted);
  }

  add(stop: Stop): void {
    this.stops.push(stop);
  }

  /** Wait for something to stand; it is stopped too when the end comes before it does. Rejects as it does. */
  async keep<T extends { readonly stop: Stop }>(starting: T | Promise<T>): Promise<T> {
    this.add(async () => (await Promise.resolve(starting).catch(() => undefined))?.stop());
    return starting;
  }

  /** Stop everything; one that fails never keeps the others from being stopped. Safe to call twice. */
  clear(): Promise<void> {
    this.clearing ??= this.stopAll();
    return this.clearing;
  }

  private readonly interrupted = (): void => {
    void this.clear()
      .catch((error: unknown) => console.error(error))
      .finally(() => process.exit(INTERRUPTED));
  };

  private async stopAll(): Promise<void> {
    const failures: unknown[] = [];
    // More may be kept while this goes on.
    for (let stop = this.stops.pop(); stop; stop = this.stops.pop()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    for (const signal of signals) process.off(signal, this.interrupted);
    if (failures.length > 0) throw new AggregateError(failures, "Not everything was stopped.");
  }
}
