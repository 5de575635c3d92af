import { addDays, type Day, utc } from "./day";
import { type Zone, zoneOf } from "./zone";

export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof weekdays)[number];

export const frequencies = ["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof frequencies)[number];

export type End =
  | { readonly kind: "never" }
  | { readonly kind: "count"; readonly count: number }
  /** The last day, in the series' zone, on which it may have a flight. */
  | { readonly kind: "day"; readonly day: Day };

/** What the form can say of a series. */
export interface Repetition {
  readonly frequency: Frequency;
  readonly interval: number;
  /** Of a weekly series. None: the weekday of the start. */
  readonly weekdays: readonly Weekday[];
  /** The first day of a week, which matters where the interval is more than one week. */
  readonly weekStart: Weekday;
  readonly end: End;
}

/** A recurrence rule of the API, taken apart. */
export interface Rule {
  /** In whose local time the series is. UTC when the rule names none, or one that the browser does not know. */
  readonly zone: Zone;
  /** Undefined for a rule of which the form can only say a part. */
  readonly repetition: Repetition | undefined;
}

export const UTC = zoneOf("UTC") as Zone;

interface Lines {
  readonly start: string | undefined;
  readonly rule: string;
  readonly zone: string | undefined;
}

/** The DTSTART line and the rule. Some writers put the zone into the rule. */
function linesOf(text: string): Lines {
  const lines = text.trim().split(/\s*(?:\r?\n|\\n)\s*/);
  const rule = (lines.pop() ?? "").replace(/^RRULE:/i, "");
  const start = lines.find((line) => /^DTSTART/i.test(line));
  const [, onStart] = /^DTSTART;TZID=([^:;]+)/i.exec(start ?? "") ?? [];
  const [, inRule] = /(?:^|;)TZID=([^;]+)/i.exec(rule) ?? [];
  return { start, rule: rule.replace(/(^|;)TZID=[^;]+/i, "").replace(/^;/, ""), zone: onStart ?? inRule };
}

/** Reads the rule of a series that begins at `start`, an instant. */
export function readRule(text: string, start: number): Rule {
  const { rule, zone: name } = linesOf(text);
  const zone = name === undefined ? UTC : zoneOf(name);
  if (!zone) return { zone: UTC, repetition: undefined };
  return { zone, repetition: readRepetition(rule, zone, start) };
}

const isFrequency = (text: string | undefined): text is Frequency => frequencies.some((one) => one === text);
const isWeekday = (text: string): text is Weekday => weekdays.some((one) => one === text);

function readRepetition(text: string, zone: Zone, start: number): Repetition | undefined {
  const parts = new Map(
    text
      .toUpperCase()
      .split(";")
      .map((part) => part.trim().split("=") as [string, string]),
  );
  const take = (name: string): string | undefined => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const frequency = take("FREQ");
  const interval = Number(take("INTERVAL") ?? 1);
  const days = take("BYDAY")?.split(",") ?? [];
  const weekStart = take("WKST") ?? "MO";
  const end = readEnd(take("COUNT"), take("UNTIL"), zone, start);
  if (!isFrequency(frequency) || !end || parts.size > 0) return undefined;
  if (!days.every(isWeekday) || (days.length > 0 && frequency !== "WEEKLY")) return undefined;
  // By the day, and not by the hour, is what the form says of an end.
  if (frequency === "HOURLY" && end.kind === "day") return undefined;
  if (!isWeekday(weekStart)) return undefined;
  return { frequency, interval, weekdays: weekdays.filter((one) => days.includes(one)), weekStart, end };
}

function readEnd(
  count: string | undefined,
  until: string | undefined,
  zone: Zone,
  start: number,
): End | undefined {
  if (count !== undefined) return { kind: "count", count: Number(count) };
  if (until === undefined) return { kind: "never" };
  const [, year, month, date, hour = "00", minute = "00", second = "00", isUtc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?(Z)?$/.exec(until) ?? [];
  const read = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(read)) return undefined;
  const last = isUtc ? zone.toLocal(read) : read;
  const day = new Date(last).toISOString().slice(0, 10);
  // An end before the time of the flights leaves its own day out.
  const flownAt = timeOfDay(zone.toLocal(start));
  return { kind: "day", day: timeOfDay(last) >= flownAt ? day : addDays(day, -1) };
}

const timeOfDay = (local: number): number =>
  local - utc(new Date(local).toISOString().slice(0, 10)).getTime();

/** The rule of a series that begins at `start`, an instant: it keeps its local time when the zone's clocks change. */
export function writeRule(repetition: Repetition, zone: Zone, start: number): string {
  const { frequency, interval, weekStart, end } = repetition;
  const days = frequency === "WEEKLY" ? repetition.weekdays : [];
  const parts = [
    `FREQ=${frequency}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...(days.length === 0 ? [] : [`BYDAY=${days.join(",")}`]),
    ...(days.length === 0 || interval === 1 || weekStart === "MO" ? [] : [`WKST=${weekStart}`]),
    ...(end.kind === "count" ? [`COUNT=${end.count}`] : []),
    ...(end.kind === "day" ? [`UNTIL=${digits(endOf(end.day, zone))}Z`] : []),
  ];
  return `${startLine(zone, start)}\nRRULE:${parts.join(";")}`;
}

/** The last second of a day, as an instant. */
const endOf = (day: Day, zone: Zone): number => zone.toInstant(utc(addDays(day, 1)).getTime()) - 1_000;

/** The same rule for a series that begins at another instant: the API refuses a DTSTART that is not the event's time. */
export function moveRule(text: string, start: number): string {
  const lines = linesOf(text);
  if (!lines.start) return text;
  const zone = zoneOf(lines.zone ?? "UTC");
  // The API reads a zone that this browser does not know, and an instant in any.
  const moved = zone ? startLine(zone, start) : `DTSTART;TZID=${lines.zone}:${digits(start)}Z`;
  return `${moved}\nRRULE:${lines.rule}`;
}

const startLine = (zone: Zone, start: number): string =>
  zone.name === "UTC"
    ? `DTSTART:${digits(start)}Z`
    : `DTSTART;TZID=${zone.name}:${digits(zone.toLocal(start))}`;

/** `20300506T100000`. */
const digits = (time: number): string => new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, "");
