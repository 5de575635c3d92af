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

  add(flight: FlightTotals): void {
    this.kept.push({ flight, number: ++this.count });
    if (this.kept.length <= MOST_KEPT) return;
    // The choice among the best of the first flights and the rest is the choice among all.
    const decided = this.during !== undefined && !Number.isNaN(flight.beginOffset);
    const best = decided ? this.choose() : undefined;
    this.kept = best ? [best] : this.kept.slice(1);
  }

  /** The flight that overlaps the time most; else the last that ended before the time did; else the last that ended. */
  choose(): ChosenFlight | undefined {
    const { kept, during } = this;
    const last = kept.findLast(({ flight }) => flight.isOver) ?? kept.at(-1);
    if (!during) return last && { ...last, by: "order" };
    const overlaps = kept.map((entry) => ({ entry, milliseconds: overlap(entry.flight, during) }));
    const [most] = overlaps.sort((a, b) => b.milliseconds - a.milliseconds);
    if (most && most.milliseconds > 0) return { ...most.entry, by: "time" };
    const found = kept.findLast(({ flight }) => endOf(flight) <= during.to) ?? last;
    return found && { ...found, by: "order" };
  }
}

const endOf = ({ ended, endOffset }: FlightTotals): number => endOffset + ended * 1000;

/** Milliseconds of a flight within a time; none when the log has no wall clock. */
function overlap(flight: FlightTotals, { from, to }: FlightTime): number {
  const begin = flight.beginOffset + (flight.began ?? 0) * 1000;
  return Math.min(endOf(flight), to) - Math.max(begin, from) || 0;
}
