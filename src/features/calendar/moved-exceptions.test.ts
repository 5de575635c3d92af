import { movedExceptions } from "./moved-exceptions";

const series = (start: string, recurrence_rule: string) => ({
  scheduled_time: new Date(`2030-05-${start}:00Z`),
  recurrence_rule,
});
const daily = "FREQ=DAILY;COUNT=5";
const weekly = "FREQ=WEEKLY;COUNT=5";

/** Where the cancellation of one occurrence goes. */
function moved(
  at: string,
  before: ReturnType<typeof series>,
  after: ReturnType<typeof series>,
): string[] | undefined {
  const occurrence_time = new Date(`2030-05-${at}:00Z`);
  const exception = { event_id: 1, occurrence_time, status: "cancelled", execution_id: null } as const;
  const there = movedExceptions([exception], before, after);
  return there?.map((one) => one.occurrence_time.toISOString().slice(8, 16));
}

test.each([
  ["an hour earlier", "08T08:00", series("06T08:00", daily), series("06T07:00", daily), ["08T07:00"]],
  ["past midnight", "08T23:00", series("06T23:00", daily), series("07T01:00", daily), ["09T01:00"]],
  ["to the evening", "08T08:00", series("06T08:00", daily), series("06T20:30", daily), ["08T20:30"]],
  [
    "a day on and an hour back",
    "08T08:00",
    series("06T08:00", daily),
    series("07T07:00", daily),
    ["08T07:00"],
  ],
  ["to another weekday", "13T08:00", series("06T08:00", weekly), series("10T08:00", weekly), ["17T08:00"]],
  [
    "to start later, which it survives",
    "08T08:00",
    series("06T08:00", daily),
    series("08T08:00", daily),
    ["08T08:00"],
  ],
  ["to start later, which it does not", "07T08:00", series("06T08:00", daily), series("08T08:00", daily), []],
  [
    "to every other day",
    "07T08:00",
    series("06T08:00", daily),
    series("06T08:00", `${daily};INTERVAL=2`),
    [],
  ],
])("a cancellation goes with its series when that moves %s", (_how, at, before, after, expected) => {
  expect(moved(at, before, after)).toEqual(expected);
});
