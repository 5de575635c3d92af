import { type Options, RRule } from "rrule";
import { DomainError } from "../../../domain/errors";
import { findZone, utc, type Zone } from "./zone";

/** The text of a recurrence, read: a rule, and the zone whose clock it follows. */
export interface Recurrence {
  readonly text: string;
  /** Without DTSTART and UNTIL: rrule computes with local times without a zone. */
  readonly rule: Partial<Options>;
  readonly until: LocalTime | undefined;
  readonly zone: Zone;
  /** The instant of the text's own DTSTART. */
  readonly start: number | undefined;
}

/** An instant, or a local time in the series' zone; both as milliseconds of the digits read as UTC. */
interface LocalTime {
  readonly at: number;
  readonly isUtc: boolean;
}

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
    throw invalidRule("only a DTSTART line may stand before the one RRULE");
  // Some writers put the zone into the rule.
  const [, inRule] = /(?:^|;)TZID=([^;]+)/i.exec(ruleLine) ?? [];
  const bare = ruleLine.replace(/^RRULE:/i, "").replace(/(^|;)TZID=[^;]+/i, "");
  const parsed = { text, ...parseRule(bare.replace(/^;/, "")) };
  if (startLine === undefined) return { ...parsed, zone: zoneOf(inRule), start: undefined };
  const [, onStart, digits] = /^DTSTART(?:;TZID=([^:;]+))?:(\w+)$/i.exec(startLine) ?? [];
  if (!digits) throw invalidRule(`"${startLine}" is not a DTSTART`);
  const zone = zoneOf(onStart ?? inRule);
  const start = parseDigits("DTSTART", digits);
  return { ...parsed, zone, start: start.isUtc ? start.at : zone.toInstant(start.at) };
}

function zoneOf(name: string | undefined): Zone {
  if (name === undefined) return utc;
  const zone = findZone(name);
  if (zone) return zone;
  throw invalidRule(`TZID ${name} is not a time zone`);
}

/** Numbers from `least` to `most`; signed ones count from the end where they are negative. */
const numbers = (least: number, most: number, sign: "" | "±" = "") => ({
  expected: `${sign}${least} to ${most}`,
  accepts: (item: string) => {
    const size = Number(sign ? item.replace(/^[+-]/, "") : item);
    return /^[+-]?\d{1,7}$/.test(item) && size >= least && size <= most;
  },
});
const words = (expected: string, pattern: RegExp) => ({
  expected,
  accepts: (item: string) => pattern.test(item),
});

/** The parts of a rule (RFC 5545, section 3.3.10) and what each item of theirs may be. rrule itself checks little. */
const parts: Readonly<Record<string, ReturnType<typeof words>>> = {
  FREQ: words(
    "one of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY, SECONDLY",
    /^(YEAR|MONTH|WEEK|DAI|HOUR|MINUTE|SECOND)LY$/,
  ),
  INTERVAL: numbers(1, 100_000),
  COUNT: numbers(1, 1_000_000),
  UNTIL: words("a date, such as 20301224T000000Z", /^\w+$/),
  WKST: words("a weekday, such as MO", /^(MO|TU|WE|TH|FR|SA|SU)$/),
  BYMONTH: numbers(1, 12),
  BYWEEKNO: numbers(1, 53, "±"),
  BYYEARDAY: numbers(1, 366, "±"),
  BYMONTHDAY: numbers(1, 31, "±"),
  BYDAY: words("weekdays, such as MO or -1FR", /^([+-]?(0?[1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/),
  BYHOUR: numbers(0, 23),
  BYMINUTE: numbers(0, 59),
  BYSECOND: numbers(0, 59),
  BYSETPOS: numbers(1, 366, "±"),
};
const single = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"];

function parseRule(text: string): Pick<Recurrence, "rule" | "until"> {
  const given = new Map<string, string>();
  for (const part of text.split(";")) {
    const [, name = "", value = ""] = /^([A-Z]+)=([^=]+)$/.exec(part.trim().toUpperCase()) ?? [];
    if (!name) throw invalidRule(`"${part}" is not NAME=VALUE`);
    const kind = parts[name];
    if (!kind) throw invalidRule(`${name} is not a part of a rule`);
    if (given.has(name)) throw invalidRule(`${name} is given twice`);
    const items = single.includes(name) ? [value] : [...new Set(value.split(","))];
    const bad = items.find((item) => !kind.accepts(item));
    if (bad !== undefined) throw invalidRule(`${name} must be ${kind.expected}, not ${bad}`);
    given.set(name, items.join(","));
  }
  refuseWithoutMeaning(given);
  const until = given.get("UNTIL");
  given.delete("UNTIL");
  const rule = RRule.parseString([...given].map((part) => part.join("=")).join(";"));
  return { rule, until: until === undefined ? undefined : parseDigits("UNTIL", until) };
}

/** RFC 5545 forbids these, since two readers would not take them the same way. */
function refuseWithoutMeaning(given: ReadonlyMap<string, string>): void {
  const never = (refused: boolean, message: string) => {
    if (refused) throw invalidRule(message);
  };
  const freq = given.get("FREQ") ?? "";
  never(!freq, `FREQ must be ${parts.FREQ?.expected}`);
  never(given.has("COUNT") && given.has("UNTIL"), "COUNT and UNTIL exclude each other");
  never(given.has("BYWEEKNO") && freq !== "YEARLY", "BYWEEKNO needs FREQ=YEARLY");
  never(given.has("BYMONTHDAY") && freq === "WEEKLY", "BYMONTHDAY does not go with FREQ=WEEKLY");
  never(
    given.has("BYYEARDAY") && ["DAILY", "WEEKLY", "MONTHLY"].includes(freq),
    `BYYEARDAY does not go with FREQ=${freq}`,
  );
  never(
    /\d/.test(given.get("BYDAY") ?? "") && (!["MONTHLY", "YEARLY"].includes(freq) || given.has("BYWEEKNO")),
    "BYDAY with a number needs FREQ=MONTHLY or YEARLY, without BYWEEKNO",
  );
  const others = [...given.keys()].filter((name) => name.startsWith("BY") && name !== "BYSETPOS");
  never(given.has("BYSETPOS") && others.length === 0, "BYSETPOS needs another BY part");
}

/** `19971224T000000Z`, `19971224T000000` or `19971224`, whose time is midnight. */
function parseDigits(name: string, text: string): LocalTime {
  const [matched, date, time = "T000000", zone] = /^(\d{8})(T\d{6})?(Z)?$/i.exec(text) ?? [];
  const iso = `${date}${time}`.replace(/^(....)(..)(..T..)(..)/i, "$1-$2-$3:$4:").toUpperCase();
  const at = Date.parse(`${iso}Z`);
  // Date carries a day that does not exist over into the next month.
  if (matched && at && new Date(at).toISOString().startsWith(iso)) return { at, isUtc: zone !== undefined };
  throw invalidRule(`${name} must be a date that exists, such as 20301224T000000Z, not ${text}`);
}

export const invalidRule = (message: string): DomainError =>
  new DomainError("invalid_input", `recurrence_rule: ${message}.`);
