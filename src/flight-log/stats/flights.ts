import type { FlightChoice, FlightTime } from "../result";
import type { FlightTotals } from "./flight-totals";

/** A log with more keeps those that may still be chosen. */
const MOST_KEPT = 16;

export interface ChosenFlight {
  readonly flight: FlightTotals;
  /** Among all of the log, from 1. */
  readonly number: number;
  readonly by: FlightChoice;
}

interface Entry {
  readonly flight: FlightTotals;
  readonly number: number;
}

/** The flights of a log, of which one is chosen. A bounded number is kept. */
export class Flights {
  private kept: Entry[] = [];
  count = 0;

  /** Without a time, the last flight that ended is chosen. */
  constructor(private readonly during: FlightTime | undefined) {}

  get last(): FlightTotals | undefined {
    return this.kept.at(-1)?.flight;
  }

  /** `utcOffset`: milliseconds since 1970 when the log began, NaN while that is not known. */
  add(flight: FlightTotals, utcOffset: number): void {
    this.kept.push({ flight, number: ++this.count });
    if (this.kept.length <= MOST_KEPT) return;
    // The choice among the best of the first flights and the rest is the choice among all.
    const decided = this.during !== undefined && !Number.isNaN(utcOffset);
    const best = decided ? this.choose(utcOffset) : undefined;
    this.kept = best ? [best] : this.kept.slice(1);
  }

  /** The flight that overlaps the time most; else the last that ended before the time did; else the last that ended. */
  choose(utcOffset: number): ChosenFlight | undefined {
    const { kept, during } = this;
    const last = kept.findLast(({ flight }) => flight.isOver) ?? kept.at(-1);
    if (!during || Number.isNaN(utcOffset)) return last && { ...last, by: "order" };
    const overlaps = kept.map((entry) => ({ entry, seconds: overlap(entry.flight, during, utcOffset) }));
    const [most] = overlaps.sort((a, b) => b.seconds - a.seconds);
    if (most && most.seconds > 0) return { ...most.entry, by: "time" };
    const before = kept.findLast(({ flight }) => utcOffset + flight.ended * 1000 <= during.to);
    const found = before ?? last;
    return found && { ...found, by: "order" };
  }
}

/** Seconds of a flight within a time. */
function overlap({ began = 0, ended }: FlightTotals, { from, to }: FlightTime, utcOffset: number): number {
  const [start, end] = [utcOffset + began * 1000, utcOffset + ended * 1000];
  return (Math.min(end, to) - Math.max(start, from)) / 1000;
}
