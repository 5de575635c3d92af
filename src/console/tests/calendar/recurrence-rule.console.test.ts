import fc from "fast-check";
import { occurrences } from "../../../features/calendar/recurrence/occurrences";
import { parseRecurrence } from "../../../features/calendar/recurrence/rule";
import { findZone } from "../../../features/calendar/recurrence/zone";
import { addMonths, firstWeekday, weekOf, weeksOfMonth } from "../../pages/calendar/day";
import { changesOf, draftOf } from "../../pages/calendar/draft";
import {
  frequencies,
  moveRule,
  type Repetition,
  readRule,
  weekdays,
  writeRule,
} from "../../pages/calendar/rule";
import type { CalendarEvent } from "../../pages/calendar/states";
import { localText, parseLocal, showings, type Zone, zoneOf } from "../../pages/calendar/zone";

const zones = ["UTC", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"];
const zone = (name: string) => zoneOf(name) as Zone;
const HOUR = 3_600_000;
const anInstant = fc
  .integer({ min: Date.UTC(2026, 0), max: Date.UTC(2036, 0) })
  .map((at) => at - (at % 1_000));

test("local times are those of the API, also where clocks change", () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), anInstant, (name, at) => {
      const [ours, theirs] = [zone(name), findZone(name)];
      expect(ours.toLocal(at)).toBe(theirs?.toLocal(at));
      expect(ours.toInstant(at)).toBe(theirs?.toInstant(at));
    }),
  );
});

test.each([
  ["2030-03-31T02:30", "never"],
  ["2030-10-27T02:30", "twice"],
  ["2030-10-27T03:00", "once"],
  ["2030-06-01T02:30", "once"],
])("the clocks of Zurich show %s %s", (text, how) => {
  expect(showings(zone("Europe/Zurich"), parseLocal(text) as number)).toBe(how);
});

const aRepetition: fc.Arbitrary<Repetition> = fc
  .record({
    frequency: fc.constantFrom(...frequencies),
    interval: fc.integer({ min: 1, max: 12 }),
    weekdays: fc.subarray([...weekdays]),
    weekStart: fc.constantFrom(...weekdays),
    end: fc.oneof(
      fc.constant({ kind: "never" as const }),
      fc.record({ kind: fc.constant("count" as const), count: fc.integer({ min: 1, max: 99 }) }),
      fc.record({ kind: fc.constant("day" as const), day: fc.constantFrom("2036-02-29", "2036-10-26") }),
    ),
  })
  .filter(({ frequency, end }) => frequency !== "HOURLY" || end.kind !== "day")
  .map((one) => (one.frequency === "WEEKLY" ? one : { ...one, weekdays: [] }));

test("the API reads every rule that the form says, with its start, and the form reads it back", () => {
  fc.assert(
    fc.property(aRepetition, fc.constantFrom(...zones), anInstant, (said, name, start) => {
      const text = writeRule(said, zone(name), start);
      expect(parseRecurrence(text).start).toBe(zone(name).toInstant(zone(name).toLocal(start)));
      const { zone: read, repetition } = readRule(text, start);
      expect(read.name).toBe(name);
      const isWeekStartSaid = said.weekdays.length > 0 && said.interval > 1;
      expect(repetition).toEqual({ ...said, weekStart: isWeekStartSaid ? said.weekStart : "MO" });
    }),
  );
});

test("a series that ends on a day has its last flight on that day, at any hour and over a change of clocks", () => {
  const text = (time: string) => {
    const start = zone("Europe/Zurich").toInstant(parseLocal(`2030-10-25T${time}`) as number);
    const end = { kind: "day", day: "2030-10-28" } as const;
    const rule = writeRule(
      { frequency: "DAILY", interval: 1, weekdays: [], weekStart: "MO", end },
      zone("Europe/Zurich"),
      start,
    );
    const range = { from: new Date(start), to: new Date(start + 30 * 24 * HOUR) };
    const { times } = occurrences({ rule, start: new Date(start), ...range, limit: 100 });
    return times.map((at) => localText(zone("Europe/Zurich").toLocal(+at)));
  };
  for (const time of ["00:00", "10:00", "23:59"])
    expect(text(time)).toEqual([25, 26, 27, 28].map((day) => `2030-10-${day}T${time}`));
});

const START = Date.UTC(2030, 4, 6, 8);

test.each([
  ["FREQ=MONTHLY;BYDAY=-1FR", "UTC"],
  ["FREQ=DAILY;BYHOUR=8,20", "UTC"],
  ["RRULE:FREQ=WEEKLY;BYDAY=MO;BYMONTH=5,6", "UTC"],
  ["DTSTART;TZID=Europe/Zurich:20300506T100000\nRRULE:FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=6", "Europe/Zurich"],
  ["FREQ=HOURLY;UNTIL=20300601T000000Z", "UTC"],
  ["DTSTART;TZID=Mars/Olympus:20300506T100000\nRRULE:FREQ=DAILY", "UTC"],
  ["nonsense", "UTC"],
])("the form does not say %j", (text, name) => {
  const { zone: read, repetition } = readRule(text, START);
  expect([read.name, repetition]).toEqual([name, undefined]);
});

test.each([
  ["TZID=Europe/Zurich;FREQ=WEEKLY;BYDAY=TU", "Europe/Zurich", { frequency: "WEEKLY", weekdays: ["TU"] }],
  ["FREQ=DAILY;UNTIL=20300510T080000Z", "UTC", { end: { kind: "day", day: "2030-05-10" } }],
  ["FREQ=DAILY;UNTIL=20300510T075959Z", "UTC", { end: { kind: "day", day: "2030-05-09" } }],
  ["FREQ=DAILY;UNTIL=20300510", "UTC", { end: { kind: "day", day: "2030-05-09" } }],
  ["freq=weekly;wkst=su;byday=we,mo;interval=2", "UTC", { weekdays: ["MO", "WE"], weekStart: "SU" }],
])("the form says %j, which another program wrote", (text, name, part) => {
  const { zone: read, repetition } = readRule(text, START);
  expect([read.name, repetition]).toMatchObject([name, part]);
});

test("a rule that is kept follows the start, in its own zone", () => {
  const later = START + 24 * HOUR;
  expect(moveRule("FREQ=MONTHLY;BYDAY=-1FR", later)).toBe("FREQ=MONTHLY;BYDAY=-1FR");
  for (const [text, first] of [
    [
      "DTSTART;TZID=Europe/Zurich:20300506T100000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR",
      "TZID=Europe/Zurich:20300507T100000",
    ],
    ["DTSTART:20300506T080000Z\nFREQ=MONTHLY;BYDAY=-1FR", "DTSTART:20300507T080000Z"],
  ] as const) {
    const moved = moveRule(text, later);
    expect(moved).toContain(first);
    expect(moved).toContain("RRULE:FREQ=MONTHLY;BYDAY=-1FR");
    expect(parseRecurrence(moved).start).toBe(later);
  }
});

describe("a change of an event", () => {
  const event = (recurrence_rule: string | null): CalendarEvent => ({
    ...{ id: 1, user_id: 1, drone_id: 2, mission_id: null, execution_id: null, title: "Survey" },
    ...{ description: null, scheduled_time: new Date(START).toISOString(), status: "scheduled" },
    ...{ recurrence_rule, created_at: "", updated_at: "" },
  });

  test("holds what the user changed and nothing else", () => {
    for (const rule of [null, "TZID=Europe/Zurich;FREQ=WEEKLY;INTERVAL=1", "FREQ=MONTHLY;BYDAY=-1FR"]) {
      const draft = draftOf(event(rule));
      expect(changesOf(draft, event(rule))).toEqual({});
      expect(changesOf({ ...draft, title: "Roof", notes: "x" }, event(rule))).toEqual({
        title: "Roof",
        description: "x",
      });
    }
  });

  test("of the time takes a DTSTART with it", () => {
    const rule = "DTSTART:20300506T080000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1";
    expect(changesOf({ ...draftOf(event(rule)), start: "2030-05-06T09:30" }, event(rule))).toEqual({
      scheduled_time: "2030-05-06T09:30:00.000Z",
      recurrence_rule: "DTSTART:20300506T093000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1",
    });
  });

  test("ends or begins a series", () => {
    const series = event("FREQ=DAILY");
    expect(changesOf({ ...draftOf(series), repeats: "once" }, series)).toEqual({ recurrence_rule: null });
    const single = event(null);
    const draft = { ...draftOf(single), repeats: "DAILY", ends: "count", count: "3" } as const;
    const { recurrence_rule = "" } = changesOf(draft, single) ?? {};
    expect(recurrence_rule).toMatch(/RRULE:FREQ=DAILY;COUNT=3$/);
  });
});

test("weeks begin as the locale says, and a month's six weeks hold all its days", () => {
  expect(["en-US", "de-CH", "ar-EG"].map((locale) => firstWeekday(locale))).toEqual([7, 1, 6]);
  expect(weekOf("2030-05-08", 7)[0]).toBe("2030-05-05");
  const days = weeksOfMonth("2030-06-15", 1).flat();
  expect([days[0], days.at(-1), days.length]).toEqual(["2030-05-27", "2030-07-07", 42]);
  expect(["2030-01-31", "2028-03-31"].map((day, at) => addMonths(day, at === 0 ? 1 : -1))).toEqual([
    "2030-02-28",
    "2028-02-29",
  ]);
});
