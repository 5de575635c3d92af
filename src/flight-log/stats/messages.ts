import type { FlightMessage } from "../result";
import { plainWords } from "./incidents";

/** A vehicle that waits on the ground repeats what prevents its arming. */
const MOST_BEFORE = 50;
const MOST = 500;

interface LoggedMessage extends Omit<FlightMessage, "seconds"> {
  /** Log time. */
  readonly at: number;
}

/** What the vehicle wrote and what went wrong, in the log's order: the last ones before a flight, and its first ones. */
export class Messages {
  private readonly kept: LoggedMessage[] = [];

  /** `isBefore`: the flight has not begun. */
  add(at: number, severity: FlightMessage["severity"], text: string, isBefore: boolean): void {
    const words = plainWords(text);
    if (words === "") return;
    if (isBefore && this.kept.length >= MOST_BEFORE) this.kept.shift();
    if (this.kept.length < MOST) this.kept.push({ at, severity, text: words });
  }

  addAll({ kept }: Messages, isBefore: boolean): void {
    for (const { at, severity, text } of kept) this.add(at, severity, text, isBefore);
  }

  /** `began`: the time at which the flight began. */
  list(began: number): FlightMessage[] {
    return this.kept.map(({ at, ...message }) => ({ seconds: at - began, ...message }));
  }
}
