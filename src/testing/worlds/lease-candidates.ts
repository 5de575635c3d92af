import { createLogger } from "../../platform/process/log";
import { Elector, type ElectorOptions } from "../../tunnel/ha/elector";
import { type LeaseStore, monotonicMs } from "../../tunnel/ha/lease";
import { atEndOfFile } from "../clean-up";

export const CANDIDATE_DURATION_MS = 2_000;
export const CANDIDATE_DEADLINE_MS = 1_000;

export interface Candidate {
  readonly elector: Elector;
  /** What it was told, and when. */
  readonly told: { readonly isHeld: boolean; readonly at: number }[];
  readonly noted: number[];
  /** What it logged. */
  readonly logged: string[];
}

/** A hub's candidacy and nothing else of the hub; it ends with the file. */
export function candidate(
  identity: string,
  store: LeaseStore,
  options: Partial<ElectorOptions> = {},
): Candidate {
  const told: Candidate["told"] = [];
  const noted: number[] = [];
  const logged: string[] = [];
  const elector = new Elector({
    store,
    identity,
    durationMs: CANDIDATE_DURATION_MS,
    deadlineMs: CANDIDATE_DEADLINE_MS,
    retryMs: 100,
    now: monotonicMs,
    log: createLogger("test", "trace", { write: (line) => void logged.push(line) }),
    storeEnd: (until) => void noted.push(until),
    onChange: (isHeld) => void told.push({ isHeld, at: monotonicMs() }),
    onFailure: () => {},
    ...options,
  });
  atEndOfFile(() => elector.stop());
  return { elector, told, noted, logged };
}

/** Each change of each candidate in its order, with the promise that no two hold at once. */
export function neverBoth(...candidates: Pick<Candidate, "told">[]): void {
  const changes = candidates.flatMap(({ told }, who) => told.map((change) => ({ ...change, who })));
  const holders = new Set<number>();
  for (const { who, isHeld } of changes.sort((a, b) => a.at - b.at)) {
    if (isHeld) holders.add(who);
    else holders.delete(who);
    if (holders.size > 1) throw new Error("Two candidates hold the lease at a time.");
  }
}
