type CleanUp = () => Promise<unknown>;
type Holder = { fleetCleanUps?: CleanUp[] };

/**
 * Stop something when the test file is over, after its own hooks have run. Unlike `afterAll` it may be called
 * anywhere, a hook or a test included.
 */
export function atEndOfFile(cleanUp: CleanUp): void {
  const holder = globalThis as Holder;
  holder.fleetCleanUps ??= [];
  holder.fleetCleanUps.push(cleanUp);
}

/** Stops in reverse order of start. A failure does not prevent the other stops. */
export async function runCleanUps(holder: object): Promise<void> {
  const { fleetCleanUps = [] } = holder as Holder;
  (holder as Holder).fleetCleanUps = [];
  const failures: unknown[] = [];
  for (const cleanUp of fleetCleanUps.toReversed()) {
    await cleanUp().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `The test file left something running: ${failures.join("; ")}`);
}
