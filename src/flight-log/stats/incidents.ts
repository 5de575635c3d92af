import type { Incident } from "../result";

const MOST = 100;
const LONGEST_TEXT = 200;

/** Errors and failsafes, each text once with how often it came. */
export class Incidents {
  private readonly byText = new Map<string, { at: number; severity: Incident["severity"]; count: number }>();

  add(at: number, severity: Incident["severity"], text: string, count = 1): void {
    const words = plainWords(text);
    const known = this.byText.get(words);
    if (known) known.count += count;
    else if (words !== "" && this.byText.size < MOST) this.byText.set(words, { at, severity, count });
  }

  addAll({ byText }: Incidents): void {
    for (const [text, { at, severity, count }] of byText) this.add(at, severity, text, count);
  }

  /** `began`: the time at which the flight began. */
  list(began: number): Incident[] {
    return [...this.byText].map(([text, { at, severity, count }]) => ({
      seconds: at - began,
      severity,
      text,
      count,
    }));
  }
}

/** Without what cannot be printed, and cut off where it is long. */
export const plainWords = (text: string): string =>
  text
    .replace(/[^\P{C}]+/gu, " ")
    .trim()
    .slice(0, LONGEST_TEXT);

/** What autopilots write when something is wrong, in logs whose texts carry no severity. */
export function severityOf(text: string): Incident["severity"] | undefined {
  if (/fail\s?safe/i.test(text) && !/cleared|clear$/i.test(text)) return "failsafe";
  if (/crash|emergency|thrust loss|critical|parachute|terminat/i.test(text)) return "error";
  if (/breach(ed)?$|glitch|variance|unhealthy|lost|error|prearm|bad /i.test(text)) return "warning";
  return undefined;
}
