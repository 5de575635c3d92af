import { Budget, OverBudget } from "./budget";
import { instances } from "./instances";
import { parseDigits, parseRule, type RecurrenceRule, wrong } from "./rule";
import { findZone, utc, type Zone } from "./zone";

export { Budget, wrong };

/** The text of a recurrence, read: a rule, and the zone whose clock it follows. */
export interface Recurrence {
  readonly rule: RecurrenceRule;
  readonly zone: Zone;
  /** The instant of the text's own DTSTART. */
  readonly start: number | undefined;
}

export interface Expansion {
  readonly times: readonly Date[];
  /** There are more, or may be: the cap on occurrences or on work was reached. */
  readonly isCut: boolean;
}

/** Occurrences of one event that one listing has room for. */
export const MAX_OCCURRENCES = 1_000;
/** Periods, days and times that one expansion looks at; about a tenth of a second at worst, in many turns. */
export const MAX_STEPS = 100_000;
/** What it takes to read a rule and set out, and to tell one time by a zone's clock, in steps. */
const STEPS_TO_BEGIN = 50;
const STEPS_BY_A_CLOCK = 40;

/** No clock is put forward or back by more. */
const CLOCK_CHANGE_MS = 3 * 3_600_000;

/**
 * `FREQ=…`, `RRULE:FREQ=…`, with a `DTSTART:…` or `DTSTART;TZID=Europe/Zurich:…` line before it or not. Times
 * are in UTC unless there is a TZID, whose local time is kept when its clocks change. Rejects with
 * `invalid_input` and what is wrong.
 */
export function parseRecurrence(text: string): Recurrence {
  const lines = text.trim().split(/\s*(?:\r?\n|\\n)\s*/);
  const ruleLine = lines.pop() ?? "";
  const [startLine, ...more] = lines;
  if (more.length > 0 || (startLine !== undefined && !/^DTSTART/i.test(startLine)))
    throw wrong("only a DTSTART line may stand before the one RRULE");
  // Some writers put the zone into the rule.
  const [, inRule] = /(?:^|;)TZID=([^;]+)/i.exec(ruleLine) ?? [];
  const bare = ruleLine.replace(/^RRULE:/i, "").replace(/(^|;)TZID=[^;]+/i, "");
  const rule = parseRule(bare.replace(/^;/, ""));
  if (startLine === undefined) return { rule, zone: zoneOf(inRule), start: undefined };
  const [, onStart, digits] = /^DTSTART(?:;TZID=([^:;]+))?:(\w+)$/i.exec(startLine) ?? [];
  if (!digits) throw wrong(`"${startLine}" is not a DTSTART`);
  const zone = zoneOf(onStart ?? inRule);
  const start = parseDigits("DTSTART", digits);
  return { rule, zone, start: start.isUtc ? start.at : zone.toInstant(start.at) };
}

function zoneOf(name: string | undefined): Zone {
  if (name === undefined) return utc;
  const zone = findZone(name);
  if (zone) return zone;
  throw wrong(`TZID ${name} is not a time zone`);
}

/**
 * The occurrences from one instant to another, both included, of a series that begins at `start`. It works in
 * turns, between which the process answers others.
 */
export async function expand(
  { rule, zone }: Recurrence,
  start: Date,
  { from, to }: { readonly from: Date; readonly to: Date },
  { occurrences = MAX_OCCURRENCES, budget = new Budget(MAX_STEPS) }: ExpansionCaps = {},
): Promise<Expansion> {
  const times: Date[] = [];
  const clockSteps = zone === utc ? 0 : STEPS_BY_A_CLOCK;
  try {
    budget.spend(STEPS_TO_BEGIN + 2 * clockSteps);
    if (budget.isTired) await budget.rest();
    const until = rule.until && (rule.until.isUtc ? rule.until.at : zone.toInstant(rule.until.at));
    const last = Math.min(to.getTime(), until ?? Number.POSITIVE_INFINITY);
    // A clock that is changed may show a later time earlier, so local bounds are wide and instants decide.
    const margin = zone === utc ? 0 : CLOCK_CHANGE_MS;
    const local = { from: zone.toLocal(from.getTime()) - margin, to: zone.toLocal(last) + margin };
    for (const instance of instances(rule, zone.toLocal(start.getTime()), local, budget)) {
      if (budget.isTired) await budget.rest();
      if (instance === undefined || instance < local.from) continue;
      budget.spend(clockSteps);
      const at = zone.toInstant(instance);
      if (at < from.getTime() || at > last) continue;
      if (times.length >= occurrences) return { times, isCut: true };
      // Two local times may be one instant where a clock skips.
      if (times.at(-1)?.getTime() !== at) times.push(new Date(at));
    }
  } catch (error) {
    if (error instanceof OverBudget) return { times, isCut: true };
    throw error;
  }
  return { times, isCut: false };
}

export interface ExpansionCaps {
  readonly occurrences?: number;
  readonly budget?: Budget;
}

/** Whether a series has an occurrence at this very instant. */
export const isOccurrence = async (
  recurrence: Recurrence,
  start: Date,
  at: Date,
  budget?: Budget,
): Promise<boolean> =>
  (await expand(recurrence, start, { from: at, to: at }, budget ? { budget } : {})).times.length > 0;
