import { DomainError } from "../../../domain/errors";

/** A recurrence rule of RFC 5545, section 3.3.10. Weekdays count from Monday = 0. */
export interface RecurrenceRule {
  readonly freq: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: Until | undefined;
  readonly wkst: number;
  readonly bymonth: readonly number[];
  readonly byweekno: readonly number[];
  readonly byyearday: readonly number[];
  readonly bymonthday: readonly number[];
  /** `nth` 0 is every one of the period; negative counts from its end. */
  readonly byday: readonly { readonly nth: number; readonly weekday: number }[];
  readonly byhour: readonly number[];
  readonly byminute: readonly number[];
  readonly bysecond: readonly number[];
  readonly bysetpos: readonly number[];
}

/** An instant, or a local time in the series' zone; both as milliseconds of the digits read as UTC. */
export interface Until {
  readonly at: number;
  readonly isUtc: boolean;
}

export const frequencies = [
  "YEARLY",
  "MONTHLY",
  "WEEKLY",
  "DAILY",
  "HOURLY",
  "MINUTELY",
  "SECONDLY",
] as const;
export type Frequency = (typeof frequencies)[number];

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const MAX_INTERVAL = 100_000;
const MAX_COUNT = 1_000_000;

/** `FREQ=WEEKLY;BYDAY=TU` → a rule. Rejects with `invalid_input` and the part that is wrong. */
export function parseRule(text: string): RecurrenceRule {
  const parts = new Map<string, string>();
  for (const part of text.split(";")) {
    const [, name = "", value = ""] = /^([A-Z]+)=([^=]+)$/i.exec(part.trim()) ?? [];
    if (!name) throw wrong(`"${part}" is not NAME=VALUE`);
    if (!known.has(name.toUpperCase())) throw wrong(`${name} is not a part of a rule`);
    if (parts.has(name.toUpperCase())) throw wrong(`${name} is given twice`);
    parts.set(name.toUpperCase(), value.toUpperCase());
  }
  const rule = readParts(parts);
  refuseWhatHasNoMeaning(rule);
  return rule;
}

const known = new Set([
  ...["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYMONTH", "BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"],
  ...["BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS"],
]);

function readParts(parts: ReadonlyMap<string, string>): RecurrenceRule {
  // What is listed twice is no other rule, and must not be worked through twice.
  const numbers = (name: string, least: number, most: number, signed = false): number[] => [
    ...new Set(items(parts, name).map((item) => integer(name, item, least, most, signed))),
  ];
  const single = (name: string, most: number) =>
    parts.has(name) ? integer(name, parts.get(name) ?? "", 1, most) : undefined;
  const freq = frequencies.find((one) => one === parts.get("FREQ"));
  if (!freq) throw wrong(`FREQ must be one of ${frequencies.join(", ")}`);
  const until = parts.get("UNTIL");
  const wkst = weekdays.indexOf(parts.get("WKST") ?? "MO");
  if (wkst < 0) throw wrong("WKST must be a weekday, such as MO");
  return {
    freq,
    interval: single("INTERVAL", MAX_INTERVAL) ?? 1,
    count: single("COUNT", MAX_COUNT),
    until: until === undefined ? undefined : parseDigits("UNTIL", until),
    wkst,
    bymonth: numbers("BYMONTH", 1, 12),
    byweekno: numbers("BYWEEKNO", 1, 53, true),
    byyearday: numbers("BYYEARDAY", 1, 366, true),
    bymonthday: numbers("BYMONTHDAY", 1, 31, true),
    byday: items(parts, "BYDAY").map(parseWeekday),
    byhour: numbers("BYHOUR", 0, 23),
    byminute: numbers("BYMINUTE", 0, 59),
    bysecond: numbers("BYSECOND", 0, 59),
    bysetpos: numbers("BYSETPOS", 1, 366, true),
  };
}

const items = (parts: ReadonlyMap<string, string>, name: string): string[] =>
  parts.get(name)?.split(",") ?? [];

function integer(name: string, text: string, least: number, most: number, signed = false): number {
  const value = /^[+-]?\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  const size = signed ? Math.abs(value) : value;
  if (size >= least && size <= most) return value;
  throw wrong(`${name} must be ${signed ? "±" : ""}${least} to ${most}, not ${text}`);
}

function parseWeekday(text: string): { nth: number; weekday: number } {
  const [, nth = "", day = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const weekday = weekdays.indexOf(day);
  if (weekday < 0) throw wrong(`BYDAY must be weekdays, such as MO or -1FR, not ${text}`);
  return { nth: nth ? integer("BYDAY", nth, 1, 53, true) : 0, weekday };
}

/** `19971224T000000Z`, `19971224T000000` or `19971224`, whose time is midnight. */
export function parseDigits(name: string, text: string): Until {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/i.exec(text) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const at = Date.UTC(year, month - 1, day, hour, minute, second);
  const digits = new Date(at || 0).toISOString().replaceAll(/[-:]|\.000Z$/g, "");
  if (match[0] && digits.startsWith(text.replace(/Z$/i, "").toUpperCase())) {
    return { at, isUtc: match[7] !== undefined };
  }
  throw wrong(`${name} must be a date that exists, such as 20301224T000000Z, not ${text}`);
}

/** What RFC 5545 forbids, since no two readers would take it the same way. */
function refuseWhatHasNoMeaning(rule: RecurrenceRule): void {
  const { freq } = rule;
  const never = (refused: boolean, message: string) => {
    if (refused) throw wrong(message);
  };
  never(rule.count !== undefined && rule.until !== undefined, "COUNT and UNTIL exclude each other");
  never(rule.byweekno.length > 0 && freq !== "YEARLY", "BYWEEKNO needs FREQ=YEARLY");
  never(rule.bymonthday.length > 0 && freq === "WEEKLY", "BYMONTHDAY does not go with FREQ=WEEKLY");
  never(
    rule.byyearday.length > 0 && ["DAILY", "WEEKLY", "MONTHLY"].includes(freq),
    `BYYEARDAY does not go with FREQ=${freq}`,
  );
  const ordinal = rule.byday.some(({ nth }) => nth !== 0);
  never(
    ordinal && (!["MONTHLY", "YEARLY"].includes(freq) || rule.byweekno.length > 0),
    "BYDAY with a number needs FREQ=MONTHLY or YEARLY, without BYWEEKNO",
  );
  const others = [
    ...[rule.bymonth, rule.byweekno, rule.byyearday, rule.bymonthday, rule.byday],
    ...[rule.byhour, rule.byminute, rule.bysecond],
  ];
  never(
    rule.bysetpos.length > 0 && others.every(({ length }) => length === 0),
    "BYSETPOS needs another BY part",
  );
}

export const wrong = (message: string): DomainError =>
  new DomainError("invalid_input", `recurrence_rule: ${message}.`);
