import { storeMission } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

import { MAX_EVENTS_PER_USER, MAX_EXCEPTIONS_PER_EVENT } from "./calendar.service";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const START = "2030-05-06T08:00:00.000Z";
const inMay = "start=2030-05-01&end=2030-05-31";

async function planner() {
  const user = await gateway.newUser();
  const drone = await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" });
  const mission = await storeMission(user.api);
  const input = { scheduled_time: START, drone_id: drone.body.id, mission_id: mission.id };
  const store = async (title: string, recurrence_rule: string | null) => {
    const { status, body } = await user.api.post("/calendar/events", { ...input, title, recurrence_rule });
    expect([status, body]).toMatchObject([201, {}]);
    return body.data;
  };
  return { user, input, store };
}
const list = async ({ api }: TestUser, query = inMay) => (await api.get(`/calendar/events?${query}`)).body;
const times = ({ data }: { data: { scheduled_time: string }[] }) =>
  data.map(({ scheduled_time }) => scheduled_time.slice(5, 16));

test("a series of a million occurrences is cut, the reply says so, and other series are complete", async () => {
  const { user, store } = await planner();
  const dense = await store("Every second", "FREQ=SECONDLY");
  await store("Weekly", "FREQ=WEEKLY");
  const body = await list(user);
  expect(body.message).toContain(`${dense.id} (Every second)`);
  expect(body.message).not.toContain("Weekly");
  const of = (title: string) => body.data.filter((event: { title: string }) => event.title === title);
  expect([of("Every second").length, of("Weekly").length]).toEqual([1_000, 4]);
  const short = await list(user, "start=2030-05-06T08:00:00Z&end=2030-05-06T08:00:09Z");
  expect([short.message, short.data.length]).toEqual(["OK", 11]);
});

test("a listing ends at about eight million characters, and the reply says so", async () => {
  const { user, input } = await planner();
  const description = "\u0001".repeat(5_000);
  const kinds = [
    ["Long", "FREQ=HOURLY", START],
    ["Later", null, "2030-05-07T08:00:00.000Z"],
  ] as const;
  for (const [title, recurrence_rule, scheduled_time] of kinds)
    await user.api.post("/calendar/events", {
      ...input,
      title,
      description,
      recurrence_rule,
      scheduled_time,
    });
  const { data, message } = await list(user);
  expect(message).toContain("(Long)");
  expect(message).not.toContain("(Later)");
  expect(JSON.stringify(data).length).toBeLessThan(9_000_000);
  expect(new Set(data.map(({ title }: { title: string }) => title))).toEqual(new Set(["Long", "Later"]));
});

test("a listing of fifty of the heaviest rules ends at the deadline", async () => {
  const { user, input } = await planner();
  const recurrence_rule = "FREQ=MINUTELY;COUNT=1000000;BYSECOND=0,10,20,30,40,50";
  const rows = Array.from({ length: 50 }, (_, at) => ({
    ...input,
    title: `${at}`,
    recurrence_rule,
    user_id: user.id,
  }));
  await gateway.deps.db("calendar_events").insert(rows);
  const began = process.cpuUsage();
  const body = await list(user, "start=2031-05-01&end=2031-06-01");
  // A fast core comes to the end of one or two.
  expect(body.message).toMatch(/missing of (4\d|50) events/);
  expect(process.cpuUsage(began).user).toBeLessThan(10_000_000);
});

test.each([
  ["DTSTART;TZID=Europe/Zurich:20300506T100000\nRRULE:FREQ=DAILY;COUNT=2", 201],
  ["DTSTART:20300506T080000Z\nRRULE:FREQ=DAILY;COUNT=2", 201],
  ["DTSTART:20300506T090000Z\nRRULE:FREQ=DAILY;COUNT=2", 400],
  ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", 400],
  ["FREQ=DAILY;UNTIL=20300505T000000Z", 400],
  ["FREQ=HOURLY;INTERVAL=2;BYHOUR=1", 400],
])("the rule %j is answered with %i when it is written", async (recurrence_rule, status) => {
  const { user, input } = await planner();
  const reply = await user.api.post("/calendar/events", { ...input, title: "Series", recurrence_rule });
  expect(reply.status).toBe(status);
  expect(times(await list(user)).length).toBe(status === 201 ? 2 : 0);
});

test("a series that is moved keeps the exceptions of the occurrences that it still has", async () => {
  const { user, store } = await planner();
  const { id } = await store("Series", "FREQ=DAILY;COUNT=5");
  for (const day of [7, 8])
    await user.api.delete(`/calendar/events/${id}/occurrences?occurrence_time=2030-05-0${day}T08:00:00Z`);
  const change = { recurrence_rule: "FREQ=DAILY;INTERVAL=2;COUNT=3" };
  expect((await user.api.put(`/calendar/events/${id}`, change)).status).toBe(200);
  const { data } = await list(user);
  expect(times({ data })).toEqual(["05-06T08:00", "05-08T08:00", "05-10T08:00"]);
  expect(data.map(({ status }: { status: string }) => status)).toEqual([
    "scheduled",
    "cancelled",
    "scheduled",
  ]);
  await user.api.put(`/calendar/events/${id}`, { recurrence_rule: null });
  expect(await gateway.deps.db("calendar_exceptions").where({ event_id: id })).toEqual([]);
  expect(times(await list(user))).toEqual(["05-06T08:00"]);
});

test.each([
  ["an hour earlier", { scheduled_time: "2030-05-06T07:00:00Z" }, "05-08T07:00"],
  ["to start a day later and an hour earlier", { scheduled_time: "2030-05-07T07:00:00Z" }, "05-08T07:00"],
  ["to start a day later", { scheduled_time: "2030-05-07T08:00:00Z" }, "05-08T08:00"],
  ["to 20:30 by its rule", { recurrence_rule: "FREQ=DAILY;COUNT=5;BYHOUR=20;BYMINUTE=30" }, "05-08T20:30"],
  [
    "to the same hour of another zone",
    {
      scheduled_time: "2030-05-06T12:00:00Z",
      recurrence_rule: "DTSTART;TZID=America/New_York:20300506T080000\nRRULE:FREQ=DAILY;COUNT=5",
    },
    "05-08T12:00",
  ],
])("a flight that was cancelled stays cancelled when its series moves %s", async (_how, change, at) => {
  const { user, store } = await planner();
  const { id } = await store("Series", "FREQ=DAILY;COUNT=5");
  await user.api.delete(`/calendar/events/${id}/occurrences?occurrence_time=2030-05-08T08:00:00Z`);
  expect((await user.api.put(`/calendar/events/${id}`, change)).status).toBe(200);
  const { data } = await list(user);
  const cancelled = data.filter(({ status }: { status: string }) => status === "cancelled");
  expect([times({ data: cancelled }), data.length]).toEqual([[at], 5]);
});

test("occurrences whose status is set at the same time all keep it", async () => {
  const { user, store } = await planner();
  const { id } = await store("Series", "FREQ=DAILY;COUNT=8");
  const mark = (day: number) =>
    user.api.put(`/calendar/events/${id}/occurrences/status`, {
      ...{ occurrence_time: `2030-05-${String(day).padStart(2, "0")}T08:00:00Z`, status: "completed" },
    });
  const replies = await Promise.all([6, 7, 8, 9, 10, 11, 12, 13, 6, 7].map(mark));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const { data } = await list(user);
  expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(8).fill("completed"));
});

test("a series of a year whose every flight was flown can be moved with all of them", async () => {
  const { user, store } = await planner();
  const { id } = await store("Series", "TZID=Europe/Zurich;FREQ=DAILY;COUNT=365");
  await gateway.deps.db.raw(
    `INSERT INTO calendar_exceptions (event_id, occurrence_time, status)
     SELECT ?, (timestamp '2030-05-06 10:00' + day * interval '1 day') AT TIME ZONE 'Europe/Zurich', 'completed'
     FROM generate_series(0, 364) day`,
    [id],
  );
  const moved = await user.api.put(`/calendar/events/${id}`, { scheduled_time: "2030-05-06T07:30:00Z" });
  expect([moved.status, moved.body]).toMatchObject([200, {}]);
  const { data } = await list(user, "start=2030-05-01&end=2031-06-01");
  expect([data.length, times({ data })[0]]).toEqual([365, "05-06T07:30"]);
  expect(new Set(data.map(({ status }: { status: string }) => status))).toEqual(new Set(["completed"]));
});

test("a thousand occurrences of a series may differ from it, and each of them may change again", async () => {
  const { user, store } = await planner();
  const { id } = await store("Series", "FREQ=HOURLY");
  const hour = (at: number) => new Date(Date.parse(START) + at * 3_600_000).toISOString();
  await gateway.deps.db("calendar_exceptions").insert(
    Array.from({ length: MAX_EXCEPTIONS_PER_EVENT - 1 }, (_, at) => ({
      ...{ event_id: id, occurrence_time: hour(at), status: "completed" },
    })),
  );
  const mark = async (at: number, status: string) => {
    const body = { occurrence_time: hour(at), status };
    return user.api.put(`/calendar/events/${id}/occurrences/status`, body);
  };
  const last = MAX_EXCEPTIONS_PER_EVENT - 1;
  expect((await mark(last, "cancelled")).status).toBe(200);
  expect(await mark(last + 1, "cancelled")).toMatchObject({
    ...{ status: 400, body: { error: { message: expect.stringContaining("1000 occurrences") } } },
  });
  expect((await mark(last, "failed")).status).toBe(200);
  expect((await mark(0, "scheduled")).status).toBe(200);
  expect((await mark(last + 1, "cancelled")).status).toBe(200);
});

test("a user may have five thousand events, and the next one is refused", async () => {
  const { user, input } = await planner();
  const rows = Array.from({ length: MAX_EVENTS_PER_USER - 1 }, (_, at) => ({
    ...{ ...input, title: `${at}`, user_id: user.id },
  }));
  await gateway.deps.db.batchInsert("calendar_events", rows);
  const store = (title: string) => user.api.post("/calendar/events", { ...input, title });
  expect((await store("The last")).status).toBe(201);
  expect(await store("One more")).toMatchObject({
    ...{ status: 400, body: { error: { message: expect.stringContaining("5000 events") } } },
  });
  expect((await list(user)).data).toHaveLength(MAX_EVENTS_PER_USER);
});

test("an event stays without a mission when its mission is deleted", async () => {
  const { user, store, input } = await planner();
  const { id } = await store("Single", null);
  expect((await user.api.delete(`/mission/${input.mission_id}`)).status).toBe(200);
  expect((await user.api.get(`/calendar/events/${id}`)).body.data).toMatchObject({ mission_id: null });
});
