import { on, once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { DomainError } from "../../../domain/errors";
import { program } from "../../../platform/process/program";
import { Semaphore } from "../../../platform/semaphore";
import { withTimeout } from "../../../platform/with-timeout";
import type { OccurrenceException, Range } from "../calendar.store";
import type { movedExceptions, Series } from "../moved-exceptions";
import type { Expandable, Expansion } from "./occurrences";
import { invalidRule, parseRecurrence, type Recurrence } from "./rule";

export { type Expandable, type Expansion, parseRecurrence, type Recurrence };

/** Occurrences of one event that a listing shows. */
export const MAX_OCCURRENCES = 1_000;
/** For all series of one request. A series of daily flights takes about a millisecond. */
const DEADLINE_MS = 1_000;
/** A request waits no longer for those before it, each of which takes a deadline and a new thread at most. */
const WAIT_MS = 10_000;
const HEAP_MB = 128;

/** A request to the thread. */
export type ToThread =
  | { readonly expand: readonly Expandable[] }
  | { readonly move: Parameters<typeof movedExceptions> };

/**
 * The occurrences of each series, in the order of the series. Those that are not known at the deadline are cut.
 * Rejects with `overloaded` when requests before it take too long.
 */
export async function expandAll(all: readonly Expandable[]): Promise<Expansion[]> {
  const known = await ask<Expansion>({ expand: all }, all.length);
  return all.map((_, at) => known[at] ?? { times: [], isCut: true });
}

/** See `movedExceptions`. Rejects with `invalid_input` when there are too many occurrences, or at the deadline. */
export async function moveExceptions(
  exceptions: readonly OccurrenceException[],
  before: Series,
  after: Series,
): Promise<OccurrenceException[]> {
  const [moved] = await ask<OccurrenceException[] | undefined>({ move: [exceptions, before, after] }, 1);
  if (moved) return moved;
  throw invalidRule(
    "which of the occurrences that were changed it still has is more than can be computed. Plan a new event with it and delete this one",
  );
}

/** The occurrences from one instant to another, both included, of a series that begins at `start`. */
export async function expand(
  { text }: Recurrence,
  start: Date,
  range: Range,
  limit = MAX_OCCURRENCES,
): Promise<Expansion> {
  const [expansion] = await expandAll([{ rule: text, start, ...range, limit }]);
  return expansion as Expansion;
}

/** Whether a series has an occurrence at this instant. Rejects with `invalid_input` when that takes too long. */
export async function isOccurrence(recurrence: Recurrence, start: Date, at: Date): Promise<boolean> {
  const { times, isCut } = await expand(recurrence, start, { from: at, to: at });
  if (isCut) throw invalidRule("its occurrences take too long to compute");
  return times.length > 0;
}

const threadLock = new Semaphore(1);

/** Resolves when all earlier requests have released the thread. */
async function lockThread(): Promise<() => void> {
  const lock = threadLock.acquire();
  try {
    return await withTimeout(lock, WAIT_MS, "The thread is busy.");
  } catch {
    void lock.then((release) => release());
    const message = "Too many calendars are computed at this moment; try again.";
    throw new DomainError("overloaded", message, { retryAfterSeconds: 5 });
  }
}

let running: Promise<Worker> | undefined;

/**
 * So many replies of the thread, or fewer at the deadline, when the thread is ended: rrule cannot be interrupted. The
 * thread takes one request after the other.
 */
async function ask<Reply>(request: ToThread, count: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  if (count === 0) return replies;
  const release = await lockThread();
  let thread: Worker | undefined;
  try {
    running ??= startThread();
    thread = await running;
    const messages = on(thread, "message", { signal: AbortSignal.timeout(DEADLINE_MS) });
    thread.ref();
    thread.postMessage(request);
    for await (const [reply] of messages) if (replies.push(reply) === count) break;
    thread.unref();
  } catch (error) {
    running = undefined;
    await thread?.terminate();
    const { name, code } = error as NodeJS.ErrnoException;
    if (name !== "AbortError" && code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
  } finally {
    release();
  }
  return replies;
}

async function startThread(): Promise<Worker> {
  const { file, execArgv } = program(join(__dirname, "worker"));
  const thread = new Worker(file, {
    // A rule with a time for each second of a year must not take the process' memory.
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    execArgv,
  });
  await once(thread, "message");
  return thread;
}
