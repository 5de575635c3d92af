import { setImmediate as turn } from "node:timers/promises";

/** What may be done at one go; some ten milliseconds. */
const STEPS_OF_A_TURN = 10_000;

/** Those who rest go on one by one, each in a turn of the event loop of its own. */
let line: Promise<void> = Promise.resolve();

/**
 * Work that may be done, in steps: one for each period, day or time looked at, about half a microsecond. Where
 * one is part of another, what it spends is spent of both. `spend` throws `OverBudget` when it is used up.
 */
export class Budget {
  private sinceRest = 0;

  constructor(
    private left: number,
    private readonly whole?: Budget,
  ) {}

  /** What one of many things to do may spend of it. */
  part(steps: number): Budget {
    return new Budget(steps, this);
  }

  spend(steps: number): void {
    this.left -= steps;
    this.sinceRest += steps;
    this.whole?.spend(steps);
    if (this.left < 0) throw new OverBudget();
  }

  get isSpent(): boolean {
    return this.left < 0 || (this.whole?.isSpent ?? false);
  }

  /** Whether others have waited long enough. */
  get isTired(): boolean {
    return this.whole?.isTired ?? this.sinceRest >= STEPS_OF_A_TURN;
  }

  /** Lets the process answer others. */
  async rest(): Promise<void> {
    if (this.whole) return this.whole.rest();
    this.sinceRest = 0;
    line = line.then(() => turn());
    return line;
  }
}

export class OverBudget extends Error {}
