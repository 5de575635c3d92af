import { setImmediate as others } from "node:timers/promises";

/** What may be done at one go. */
const TURN_MS = 10;

/** Long work that leaves room for others' between its pieces: `if (turns.over) await turns.next();`. */
export class Turns {
  private since = performance.now();

  get over(): boolean {
    return performance.now() - this.since >= TURN_MS;
  }

  async next(): Promise<void> {
    await others();
    this.since = performance.now();
  }
}

/** One item after the other. Rejects with the first error, and does nothing of what would follow. */
export async function mapInTurns<T, Made>(
  items: Iterable<T>,
  make: (item: T) => Made | Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  const turns = new Turns();
  for (const item of items) {
    made.push(await make(item));
    if (turns.over) await turns.next();
  }
  return made;
}
