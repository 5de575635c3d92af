import { setImmediate as turn } from "node:timers/promises";
import { RRule } from "rrule";
import { expand, isOccurrence, MAX_OCCURRENCES, parseRecurrence } from ".";

const at = (text: string) => new Date(text);
const between = (from: string, to: string) => ({ from: at(from), to: at(to) });
const shown = (times: readonly Date[]) => times.map((time) => time.toISOString().slice(0, 16));

describe("the occurrences are those of the rrule package", () => {
  const start = at("2026-01-31T10:30:00Z");
  const range = between("2027-02-01T00:00:00Z", "2029-03-01T00:00:00Z");
  test.each([
    "FREQ=YEARLY",
    "FREQ=YEARLY;BYWEEKNO=1,53,-1",
    "FREQ=YEARLY;BYWEEKNO=10;BYDAY=SU;WKST=SU",
    "FREQ=YEARLY;BYYEARDAY=-1,60,366",
    "FREQ=YEARLY;BYDAY=-1FR,2MO",
    "FREQ=YEARLY;BYMONTH=2,8;BYDAY=-1FR,2MO",
    "FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=29",
    "FREQ=YEARLY;BYDAY=SA,SU;BYSETPOS=3,-3",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=5",
    "FREQ=MONTHLY;BYMONTHDAY=29,-1",
    "FREQ=MONTHLY;BYDAY=5TU,-5WE",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;BYHOUR=8,17",
    "FREQ=MONTHLY;COUNT=20;BYDAY=FR;BYMONTHDAY=13",
    "FREQ=WEEKLY;INTERVAL=3",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
    "FREQ=WEEKLY;BYMONTH=6;BYDAY=WE;BYSETPOS=1",
    "FREQ=DAILY;INTERVAL=17",
    "FREQ=DAILY;BYMONTH=1;BYDAY=MO;BYHOUR=6,18;BYMINUTE=0,30",
    "FREQ=DAILY;COUNT=500;BYMONTHDAY=1,15",
    "FREQ=HOURLY;INTERVAL=37",
    "FREQ=HOURLY;INTERVAL=5;BYDAY=TU;BYHOUR=3,4,5,6",
    "FREQ=HOURLY;BYMONTHDAY=-1;BYHOUR=12;BYMINUTE=10,20,30;BYSETPOS=-1",
    "FREQ=MINUTELY;INTERVAL=1441",
    "FREQ=SECONDLY;INTERVAL=86399;BYDAY=FR",
  ])("%s", async (rule) => {
    const peer = new RRule({ ...RRule.parseString(rule), dtstart: start });
    const { times, isCut } = await expand(parseRecurrence(rule), start, range);
    expect(times).toEqual(peer.between(range.from, range.to, true));
    expect(isCut).toBe(false);
    expect(times.length).toBeGreaterThan(0);
  });

  test("except for minutely rules with BYHOUR, where rrule loses the interval", async () => {
    const { times } = await expand(
      parseRecurrence("FREQ=MINUTELY;INTERVAL=7;BYYEARDAY=100;BYHOUR=4"),
      start,
      range,
    );
    expect(shown([times[0], times[8]] as Date[])).toEqual(["2027-04-10T04:05", "2028-04-09T04:00"]);
    expect(times.map((time) => (time.getTime() - start.getTime()) % (7 * 60_000))).toEqual(Array(17).fill(0));
  });
});

describe("time", () => {
  test("without a zone stays at one UTC time when clocks change", async () => {
    const { times } = await expand(
      parseRecurrence("FREQ=WEEKLY"),
      at("2030-03-24T07:00:00Z"),
      between("2030-03-01", "2030-04-08"),
    );
    expect(shown(times)).toEqual(["2030-03-24T07:00", "2030-03-31T07:00", "2030-04-07T07:00"]);
  });

  test.each([
    "DTSTART;TZID=Europe/Zurich:20300324T080000\nRRULE:FREQ=WEEKLY",
    "DTSTART:20300324T070000Z\r\nRRULE:FREQ=WEEKLY;TZID=Europe/Zurich",
    "RRULE:FREQ=WEEKLY;TZID=Europe/Zurich",
    "TZID=Europe/Zurich;FREQ=WEEKLY",
  ])("of a zone keeps its local time: %s", async (text) => {
    const { times } = await expand(
      parseRecurrence(text),
      at("2030-03-24T07:00:00Z"),
      between("2030-03-01", "2030-04-08"),
    );
    expect(shown(times)).toEqual(["2030-03-24T07:00", "2030-03-31T06:00", "2030-04-07T06:00"]);
  });

  test("that a clock skips is read with the offset before, and one shown twice is the first", async () => {
    const night = parseRecurrence("DTSTART;TZID=America/New_York:20300101T023000\nRRULE:FREQ=DAILY");
    const inMarch = await expand(night, new Date(night.start ?? 0), between("2030-03-09", "2030-03-12"));
    expect(shown(inMarch.times)).toEqual(["2030-03-09T07:30", "2030-03-10T07:30", "2030-03-11T06:30"]);
    const early = parseRecurrence("DTSTART;TZID=America/New_York:20300101T013000\nRRULE:FREQ=DAILY");
    const inNovember = await expand(early, new Date(early.start ?? 0), between("2030-11-02", "2030-11-05"));
    expect(shown(inNovember.times)).toEqual(["2030-11-02T05:30", "2030-11-03T05:30", "2030-11-04T06:30"]);
  });

  test("UNTIL is included, in UTC with a Z and in the zone without", async () => {
    const until = async (digits: string) => {
      const rule = `DTSTART;TZID=Asia/Tokyo:20300101T090000\nRRULE:FREQ=DAILY;UNTIL=${digits}`;
      const start = at("2030-01-01T00:00:00Z");
      return (await expand(parseRecurrence(rule), start, between("2030-01-01", "2030-02-01"))).times.length;
    };
    expect(await until("20300103T000000Z")).toBe(3);
    expect(await until("20300103T090000")).toBe(3);
    expect(await until("20300103T085959")).toBe(2);
  });
});

describe("work is bounded", () => {
  const start = at("2026-01-01T00:00:00Z");
  const year = between("2030-01-01", "2031-01-01");
  test.each([
    ["every second", "FREQ=SECONDLY", MAX_OCCURRENCES],
    ["every second, counted", "FREQ=SECONDLY;COUNT=1000000", 0],
    [
      "every second of every day of the year",
      `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${upTo(23)};BYMINUTE=${upTo(59)};BYSECOND=${upTo(59)}`,
      0,
    ],
  ])("%s is cut, and reports it", async (_title, rule, found) => {
    const began = process.cpuUsage();
    const { times, isCut } = await expand(parseRecurrence(rule), start, year);
    expect([times.length, isCut]).toEqual([found, true]);
    // Unbounded, each of them takes minutes.
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
  });

  test.each([
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=HOURLY;INTERVAL=2;BYHOUR=1",
    "FREQ=SECONDLY;INTERVAL=60;BYSECOND=30",
  ])("%s, which never comes, ends without any", async (rule) => {
    const began = process.cpuUsage();
    expect((await expand(parseRecurrence(rule), start, between("2026-01-01", "2026-02-01"))).times).toEqual(
      [],
    );
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
  });

  test.each([
    ["without any occurrence", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=9"],
    ["before the first that is asked for", "FREQ=SECONDLY;COUNT=1000000"],
  ])("a long search %s lets the event loop run", async (_title, rule) => {
    let isDone = false;
    const way = expand(parseRecurrence(rule), start, between("2190-01-01", "2199-01-01")).finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await turn();
    await way;
    expect(turns).toBeGreaterThan(15);
  });

  test("an occurrence far from the start is found at once", async () => {
    const every = parseRecurrence("FREQ=SECONDLY;INTERVAL=7");
    expect(await isOccurrence(every, start, new Date(start.getTime() + 7_000 * 100_000_000))).toBe(true);
    expect(await isOccurrence(every, start, new Date(start.getTime() + 7_000 * 100_000_000 + 1_000))).toBe(
      false,
    );
  });
});

test.each([
  ["", /NAME=VALUE/],
  ["every day", /NAME=VALUE/],
  ["COUNT=3", /FREQ/],
  ["FREQ=FORTNIGHTLY", /FREQ/],
  ["FREQ=DAILY;FREQ=DAILY", /FREQ is given twice/],
  ["FREQ=DAILY;INTERVAL=0", /INTERVAL/],
  ["FREQ=DAILY;COUNT=-1", /COUNT/],
  ["FREQ=DAILY;COUNT=1e3", /COUNT/],
  ["FREQ=DAILY;COUNT=3;UNTIL=20300101T000000Z", /exclude/],
  ["FREQ=DAILY;UNTIL=20300230T000000Z", /UNTIL/],
  ["FREQ=DAILY;UNTIL=tomorrow", /UNTIL/],
  ["FREQ=DAILY;BYMONTH=13", /BYMONTH/],
  ["FREQ=DAILY;BYHOUR=24", /BYHOUR/],
  ["FREQ=MONTHLY;BYMONTHDAY=0", /BYMONTHDAY/],
  ["FREQ=MONTHLY;BYDAY=XX", /BYDAY/],
  ["FREQ=WEEKLY;BYDAY=1MO", /BYDAY/],
  ["FREQ=WEEKLY;BYMONTHDAY=1", /BYMONTHDAY/],
  ["FREQ=MONTHLY;BYWEEKNO=1", /BYWEEKNO/],
  ["FREQ=DAILY;BYYEARDAY=1", /BYYEARDAY/],
  ["FREQ=DAILY;BYSETPOS=1", /BYSETPOS/],
  ["FREQ=DAILY;WKST=1", /WKST/],
  ["FREQ=DAILY;BYEASTER=1", /BYEASTER/],
  ["FREQ=DAILY;TZID=Mars/Olympus", /TZID/],
  ["RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY", /DTSTART/],
  ["RRULE:FREQ=DAILY\nEXDATE:20300101T000000Z", /./],
  ["DTSTART:20300230T000000Z\nRRULE:FREQ=DAILY", /DTSTART/],
])("%j is refused with what is wrong", (text, words) => {
  expect(() => parseRecurrence(text)).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringMatching(words) }),
  );
});

function upTo(last: number): string {
  return Array.from({ length: last + 1 }, (_, value) => value).join(",");
}
