import { createLogger } from "../../platform/process/log";
import { Elector, type ElectorOptions } from "../../tunnel/ha/elector";
import { type LeaseStore, monotonicMs } from "../../tunnel/ha/lease";
import { atEndOfFile } from "../clean-up";
import { until } from "../until";

export const CANDIDATE_DURATION_MS = 3_000;
export const CANDIDATE_DEADLINE_MS = 1_500;

export interface Candidate {
  readonly elector: Elector;
  /** When it got and lost the lease. */
  readonly changes: { readonly isHeld: boolean; readonly at: number }[];
  /** The ends of its terms that it stored, by `monotonicMs`. */
  readonly storedEnds: number[];
  /** Its log lines. */
  readonly logged: string[];
}

/** The elector of a hub without the hub; stopped after the file. */
export function candidate(
  identity: string,
  store: LeaseStore,
  options: Partial<ElectorOptions> = {},
): Candidate {
  const changes: Candidate["changes"] = [];
  const storedEnds: number[] = [];
  const logged: string[] = [];
  const elector = new Elector({
    store,
    identity,
    durationMs: CANDIDATE_DURATION_MS,
    deadlineMs: CANDIDATE_DEADLINE_MS,
    retryMs: 100,
    now: monotonicMs,
    log: createLogger("test", "trace", { write: (line) => void logged.push(line) }),
    storeEnd: (until) => void storedEnds.push(until),
    onChange: (isHeld) => void changes.push({ isHeld, at: monotonicMs() }),
    onFailure: () => {},
    ...options,
  });
  atEndOfFile(() => elector.stop());
  return { elector, changes, storedEnds, logged };
}

/** A lease that its holder `one` releases is taken by `two` before its duration has passed. */
export async function expectReleasedLeaseTaken(
  [one, two]: readonly [Candidate, Candidate],
  durationMs: number,
): Promise<void> {
  await one.elector.start();
  await two.elector.start();
  await one.elector.stop();
  await one.elector.release();
  const releasedAt = monotonicMs();
  await until(() => two.elector.isHeld);
  expect((two.changes[0]?.at as number) - releasedAt).toBeLessThan(durationMs);
}

/** Throws when two candidates held the lease at one time. */
export function assertOneHolder(...candidates: Pick<Candidate, "changes">[]): void {
  const ordered = candidates.flatMap(({ changes }, who) => changes.map((change) => ({ ...change, who })));
  const holders = new Set<number>();
  for (const { who, isHeld } of ordered.sort((a, b) => a.at - b.at)) {
    if (isHeld) holders.add(who);
    else holders.delete(who);
    if (holders.size > 1) throw new Error("Two candidates hold the lease at a time.");
  }
}
