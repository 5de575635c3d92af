type Stop = () => unknown;

const signals = ["SIGINT", "SIGTERM"] as const;
/** As a shell counts a program that a signal ended. */
const INTERRUPTED = 130;

/**
 * Stops what a program such as a benchmark has started, in reverse order. The servers are in their own process groups,
 * so that only this process stops them when it is interrupted; then it exits. A second signal ends this process at once.
 */
export class CleanupStack {
  private readonly stops: Stop[] = [];
  private clearing: Promise<void> | undefined;

  constructor() {
    for (const signal of signals) process.once(signal, this.interrupted);
  }

  add(stop: Stop): void {
    this.stops.push(stop);
  }

  /** Waits for a server to start, and stops it at the end, also when it is still starting then. Rejects as it does. */
  async keep<T extends { readonly stop: Stop }>(starting: T | Promise<T>): Promise<T> {
    this.add(async () => (await Promise.resolve(starting).catch(() => undefined))?.stop());
    return starting;
  }

  /** Stops everything. A failure does not prevent the other stops. Safe to call twice. */
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
