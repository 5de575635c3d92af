import { expand, parseRecurrence } from ".";

/**
 * Every example of RFC 5545, section 3.8.5.3, in its order, at 09:00 in New York unless a time is given.
 * Dates are written as `1997 Sep 2-4,9; Oct 2 | 1998 Jan 1`. A rule without an end is compared as far as its
 * example is written.
 */
type Example = [title: string, start: string, rule: string, expected: string];

const examples: Example[] = [
  ["daily for 10", "19970902T090000", "FREQ=DAILY;COUNT=10", "1997 Sep 2-11"],
  [
    "daily until 24 December",
    "19970902T090000",
    "FREQ=DAILY;UNTIL=19971224T000000Z",
    "1997 Sep 2-30; Oct 1-31; Nov 1-30; Dec 1-23",
  ],
  [
    "every other day",
    "19970902T090000",
    "FREQ=DAILY;INTERVAL=2",
    "1997 Sep 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30; Oct 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30; Nov 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29; Dec 1,3",
  ],
  [
    "every 10 days, 5 times",
    "19970902T090000",
    "FREQ=DAILY;INTERVAL=10;COUNT=5",
    "1997 Sep 2,12,22; Oct 2,12",
  ],
  [
    "every day in January for 3 years, by year",
    "19980101T090000",
    "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
    "1998 Jan 1-31 | 1999 Jan 1-31 | 2000 Jan 1-31",
  ],
  [
    "every day in January for 3 years, by day",
    "19980101T090000",
    "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1",
    "1998 Jan 1-31 | 1999 Jan 1-31 | 2000 Jan 1-31",
  ],
  [
    "weekly for 10",
    "19970902T090000",
    "FREQ=WEEKLY;COUNT=10",
    "1997 Sep 2,9,16,23,30; Oct 7,14,21,28; Nov 4",
  ],
  [
    "weekly until 24 December",
    "19970902T090000",
    "FREQ=WEEKLY;UNTIL=19971224T000000Z",
    "1997 Sep 2,9,16,23,30; Oct 7,14,21,28; Nov 4,11,18,25; Dec 2,9,16,23",
  ],
  [
    "every other week",
    "19970902T090000",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU",
    "1997 Sep 2,16,30; Oct 14,28; Nov 11,25; Dec 9,23 | 1998 Jan 6,20; Feb 3,17",
  ],
  [
    "weekly on Tuesday and Thursday for five weeks, until",
    "19970902T090000",
    "FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH",
    "1997 Sep 2,4,9,11,16,18,23,25,30; Oct 2",
  ],
  [
    "weekly on Tuesday and Thursday for five weeks, counted",
    "19970902T090000",
    "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH",
    "1997 Sep 2,4,9,11,16,18,23,25,30; Oct 2",
  ],
  [
    "every other week on Monday, Wednesday and Friday until 24 December",
    "19970901T090000",
    "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
    "1997 Sep 1,3,5,15,17,19,29; Oct 1,3,13,15,17,27,29,31; Nov 10,12,14,24,26,28; Dec 8,10,12,22",
  ],
  [
    "every other week on Tuesday and Thursday, 8 times",
    "19970902T090000",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
    "1997 Sep 2,4,16,18,30; Oct 2,14,16",
  ],
  [
    "monthly on the first Friday, 10 times",
    "19970905T090000",
    "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
    "1997 Sep 5; Oct 3; Nov 7; Dec 5 | 1998 Jan 2; Feb 6; Mar 6; Apr 3; May 1; Jun 5",
  ],
  [
    "monthly on the first Friday until 24 December",
    "19970905T090000",
    "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
    "1997 Sep 5; Oct 3; Nov 7; Dec 5",
  ],
  [
    "every other month on the first and last Sunday, 10 times",
    "19970907T090000",
    "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    "1997 Sep 7,28; Nov 2,30 | 1998 Jan 4,25; Mar 1,29; May 3,31",
  ],
  [
    "monthly on the second-to-last Monday for 6 months",
    "19970922T090000",
    "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
    "1997 Sep 22; Oct 20; Nov 17; Dec 22 | 1998 Jan 19; Feb 16",
  ],
  [
    "monthly on the third-to-last day",
    "19970928T090000",
    "FREQ=MONTHLY;BYMONTHDAY=-3",
    "1997 Sep 28; Oct 29; Nov 28; Dec 29 | 1998 Jan 29; Feb 26",
  ],
  [
    "monthly on the 2nd and 15th, 10 times",
    "19970902T090000",
    "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
    "1997 Sep 2,15; Oct 2,15; Nov 2,15; Dec 2,15 | 1998 Jan 2,15",
  ],
  [
    "monthly on the first and last day, 10 times",
    "19970930T090000",
    "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
    "1997 Sep 30; Oct 1,31; Nov 1,30; Dec 1,31 | 1998 Jan 1,31; Feb 1",
  ],
  [
    "every 18 months on the 10th to 15th, 10 times",
    "19970910T090000",
    "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
    "1997 Sep 10-15 | 1999 Mar 10-13",
  ],
  [
    "every Tuesday, every other month",
    "19970902T090000",
    "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
    "1997 Sep 2,9,16,23,30; Nov 4,11,18,25 | 1998 Jan 6,13,20,27; Mar 3,10,17,24,31",
  ],
  [
    "yearly in June and July, 10 times",
    "19970610T090000",
    "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
    "1997 Jun 10; Jul 10 | 1998 Jun 10; Jul 10 | 1999 Jun 10; Jul 10 | 2000 Jun 10; Jul 10 | 2001 Jun 10; Jul 10",
  ],
  [
    "every other year in January, February and March, 10 times",
    "19970310T090000",
    "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
    "1997 Mar 10 | 1999 Jan 10; Feb 10; Mar 10 | 2001 Jan 10; Feb 10; Mar 10 | 2003 Jan 10; Feb 10; Mar 10",
  ],
  [
    "every third year on the 1st, 100th and 200th day, 10 times",
    "19970101T090000",
    "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
    "1997 Jan 1; Apr 10; Jul 19 | 2000 Jan 1; Apr 9; Jul 18 | 2003 Jan 1; Apr 10; Jul 19 | 2006 Jan 1",
  ],
  [
    "every 20th Monday of the year",
    "19970519T090000",
    "FREQ=YEARLY;BYDAY=20MO",
    "1997 May 19 | 1998 May 18 | 1999 May 17",
  ],
  [
    "Monday of week number 20",
    "19970512T090000",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    "1997 May 12 | 1998 May 11 | 1999 May 17",
  ],
  [
    "every Thursday in March",
    "19970313T090000",
    "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
    "1997 Mar 13,20,27 | 1998 Mar 5,12,19,26 | 1999 Mar 4,11,18,25",
  ],
  [
    "every Thursday in June, July and August",
    "19970605T090000",
    "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
    "1997 Jun 5,12,19,26; Jul 3,10,17,24,31; Aug 7,14,21,28 | 1998 Jun 4,11,18,25; Jul 2,9,16,23,30; Aug 6,13,20,27 | 1999 Jun 3,10,17,24; Jul 1,8,15,22,29; Aug 5,12,19,26",
  ],
  [
    "every Friday the 13th",
    "19970902T090000",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
    "1998 Feb 13; Mar 13; Nov 13 | 1999 Aug 13 | 2000 Oct 13",
  ],
  [
    "the first Saturday after the first Sunday of the month",
    "19970913T090000",
    "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
    "1997 Sep 13; Oct 11; Nov 8; Dec 13 | 1998 Jan 10; Feb 7; Mar 7; Apr 11; May 9; Jun 13",
  ],
  [
    "every 4 years, the first Tuesday after a Monday in November",
    "19961105T090000",
    "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
    "1996 Nov 5 | 2000 Nov 7 | 2004 Nov 2",
  ],
  [
    "the third Tuesday, Wednesday or Thursday of the next 3 months",
    "19970904T090000",
    "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
    "1997 Sep 4; Oct 7; Nov 6",
  ],
  [
    "the second-to-last weekday of the month",
    "19970929T090000",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
    "1997 Sep 29; Oct 30; Nov 27; Dec 30 | 1998 Jan 29; Feb 26; Mar 30",
  ],
  [
    // As erratum 3883 has it: the printed UNTIL, 17:00 UTC, is 13:00 in New York.
    "every 3 hours from 9:00 to 17:00 on one day",
    "19970902T090000",
    "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z",
    "1997 Sep 2@9:00 2@12:00 2@15:00",
  ],
  [
    "every 15 minutes, 6 times",
    "19970902T090000",
    "FREQ=MINUTELY;INTERVAL=15;COUNT=6",
    "1997 Sep 2@9:00 2@9:15 2@9:30 2@9:45 2@10:00 2@10:15",
  ],
  [
    "every hour and a half, 4 times",
    "19970902T090000",
    "FREQ=MINUTELY;INTERVAL=90;COUNT=4",
    "1997 Sep 2@9:00 2@10:30 2@12:00 2@13:30",
  ],
  [
    "every 20 minutes from 9:00 to 16:40 every day, by day",
    "19970902T090000",
    "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
    twentyMinutes(),
  ],
  [
    "every 20 minutes from 9:00 to 16:40 every day, by minute",
    "19970902T090000",
    "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
    twentyMinutes(),
  ],
  [
    "weeks that begin on Monday",
    "19970805T090000",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
    "1997 Aug 5,10,19,24",
  ],
  [
    "weeks that begin on Sunday",
    "19970805T090000",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
    "1997 Aug 5,17,19,31",
  ],
  [
    "a day that some months lack",
    "20070115T090000",
    "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
    "2007 Jan 15,30; Feb 15; Mar 15,30",
  ],
];

test.each(examples)("%s", async (_title, start, rule, written) => {
  const recurrence = parseRecurrence(`DTSTART;TZID=America/New_York:${start}\nRRULE:${rule}`);
  const expected = readDates(written);
  const begin = new Date(recurrence.start as number);
  const to = !/COUNT|UNTIL/.test(rule) ? inNewYork(expected.at(-1) as string) : new Date(Date.UTC(2030, 0));
  const { times, isCut } = await expand(recurrence, begin, { from: begin, to });
  expect(times.map(newYork)).toEqual(expected);
  expect(isCut).toBe(false);
});

const format = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "America/New_York",
  ...{ dateStyle: "short", timeStyle: "short" },
});
/** `1997-09-02 09:00`, by New York's clock. */
const newYork = (at: Date): string => format.format(at);

/** The instant at which New York's clock shows this. */
const inNewYork = (shown: string): Date =>
  [4, 5]
    .map((hours) => new Date(Date.parse(`${shown.replace(" ", "T")}Z`) + hours * 3_600_000))
    .find((at) => newYork(at) === shown) as Date;

function readDates(written: string): string[] {
  return written.split(" | ").flatMap((ofYear) => {
    const [year = "", ...rest] = ofYear.split(" ");
    return rest
      .join(" ")
      .split("; ")
      .flatMap((ofMonth) => {
        const [month, ...days] = ofMonth.split(/[ ,]/);
        return days.flatMap(eachDay).map(([day, time]) => {
          const number = "JanFebMarAprMayJunJulAugSepOctNovDec".indexOf(month ?? "") / 3 + 1;
          return `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")} ${time.padStart(5, "0")}`;
        });
      });
  });
}

function eachDay(text: string): [day: string, time: string][] {
  const [days = "", time = "9:00"] = text.split("@");
  const [first = 0, last = first] = days.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => [String(first + at), time]);
}

function twentyMinutes(): string {
  const hours = [9, 10, 11, 12, 13, 14, 15, 16];
  const times = [2, 3].flatMap((day) =>
    hours.flatMap((hour) => ["00", "20", "40"].map((minute) => `${day}@${hour}:${minute}`)),
  );
  return `1997 Sep ${times.join(" ")}`;
}
