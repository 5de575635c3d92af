import type { ContractCase, ContractWorld } from "../../testing/contract";
import { storeMission } from "../../testing/worlds/plans";
import type { TestUser } from "../../testing/worlds/start-gateway";

const START = "2030-05-06T08:00:00.000Z"; // a Monday
const refusal = (code: number, words: RegExp | string = "") => ({
  status: code,
  body: { success: false, error: { code, message: expect.stringMatching(words) } },
});
/** The contract's sign of a 404. */
const gone = refusal(404, /not found/);
const bad = (words: RegExp | string) => refusal(400, words);

async function plan({ api }: TestUser, change: object = {}) {
  const [drone] = (await api.get("/drones")).body;
  const drone_id =
    drone?.id ?? (await api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" })).body.id;
  const [mission] = (await api.get("/missions")).body;
  const mission_id = mission?.id ?? (await storeMission(api)).id;
  return { title: "Survey", scheduled_time: START, drone_id, mission_id, ...change };
}
const store = async (user: TestUser, change: object = {}) => {
  const { status, body } = await user.api.post("/calendar/events", await plan(user, change));
  expect([status, body]).toMatchObject([201, { success: true }]);
  return body.data;
};
const daily = { recurrence_rule: "FREQ=DAILY;COUNT=5" };
const list = async ({ api }: TestUser, query: string) =>
  (await api.get(`/calendar/events?${query}`)).body.data;
const inMay = "start=2030-05-01T00:00:00Z&end=2030-05-31T00:00:00Z";

export const eventsContract: readonly ContractCase[] = [
  {
    route: "POST /calendar/events",
    title: "answers 201 with the event in envelope A, and an instant however it is written",
    run: async ({ user }) => {
      const event = await store(user, { description: "North field" });
      expect(event).toMatchObject({
        ...{ title: "Survey", scheduled_time: START, status: "scheduled", description: "North field" },
        ...{ recurrence_rule: null, execution_id: null, user_id: user.id },
      });
      expect(event).not.toHaveProperty("is_occurrence");
      const written = ["2030-05-06T08:00:01", "2030-05-06 10:00:02+02:00", "2030-05-06T08:00:03.999Z"];
      for (const [at, scheduled_time] of written.entries())
        expect((await store(user, { scheduled_time })).scheduled_time).toBe(
          `2030-05-06T08:00:0${at + 1}.000Z`,
        );
    },
  },
  {
    route: "POST /calendar/events",
    title: "answers missing and invalid keys with 400 and their names, and stores nothing",
    run: async ({ user }) => {
      const required = ["title", "scheduled_time", "drone_id", "mission_id"];
      const wrong: [string, unknown][] = [
        ...required.flatMap((key): [string, unknown][] => [
          [key, undefined],
          [key, null],
          [key, {}],
        ]),
        ...[" ", "x".repeat(201), "a\u0000b", 7].map((title): [string, unknown] => ["title", title]),
        ...["2027-02-30T08:00:00Z", "2027-13-01", "2027-01-01T24:01:00Z", "tomorrow", "", 1e12].map(
          (time): [string, unknown] => ["scheduled_time", time],
        ),
        ...["2027-01-01T08:00:00+99:00", "9999-01-01T00:00:00Z", "0001-01-01"].map(
          (time): [string, unknown] => ["scheduled_time", time],
        ),
        ...["1", -1, 0, 1.5, 3e9].map((id): [string, unknown] => ["drone_id", id]),
        ...["done", 1].map((status): [string, unknown] => ["status", status]),
        ["description", "x".repeat(5_001)],
        ["recurrence_rule", "every day"],
        ["recurrence_rule", 5],
      ];
      const good = await plan(user);
      for (const [key, value] of wrong) {
        const reply = await user.api.post("/calendar/events", { ...good, [key]: value });
        expect([key, value, reply]).toMatchObject([key, value, bad(new RegExp(key))]);
      }
      expect(await list(user, inMay)).toEqual([]);
    },
  },
  {
    route: "POST /calendar/events",
    title: "answers 404 for another user's drone or mission",
    run: async ({ user, otherUser }) => {
      const [mine, theirs] = [await plan(user), await plan(otherUser)];
      for (const change of [{ drone_id: theirs.drone_id }, { mission_id: theirs.mission_id }])
        expect(await user.api.post("/calendar/events", { ...mine, ...change })).toMatchObject(gone);
      expect(await list(user, inMay)).toEqual([]);
    },
  },
  {
    route: "POST /calendar/events",
    title: "refuses a title twice at one time, also in concurrent requests, but not another user's",
    run: async ({ user, otherUser }) => {
      const event = await plan(user);
      const replies = await Promise.all([1, 2, 3].map(() => user.api.post("/calendar/events", event)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
      expect(replies.find(({ status }) => status === 400)).toMatchObject(bad(/already have.*title/));
      await store(otherUser);
      await store(user, { title: "Another" });
    },
  },
  {
    route: "GET /calendar/events",
    title: "lists single events and occurrences of both ends, in order, of a drone or of all",
    run: async ({ user, otherUser }) => {
      await store(user, daily);
      const single = await store(user, { title: "Once", scheduled_time: "2030-05-07T08:00:00Z" });
      const listed = await list(user, "start=2030-05-07T08:00:00Z&end=2030-05-09T08:00:00Z");
      expect(listed.map(({ scheduled_time }: { scheduled_time: string }) => scheduled_time)).toEqual(
        [7, 7, 8, 9].map((day) => `2030-05-0${day}T08:00:00.000Z`),
      );
      expect(listed[0]).toMatchObject({ is_occurrence: true, original_scheduled_time: START });
      expect(listed[1]).toEqual(single);
      const drone = `${inMay}&drone_id=${single.drone_id}`;
      expect(await list(user, drone)).toHaveLength(6);
      expect(await list(user, `${inMay}&drone_id=${single.drone_id + 1}`)).toEqual([]);
      expect(await list(otherUser, inMay)).toEqual([]);
    },
  },
  {
    route: "GET /calendar/events",
    title: "lists the next 90 days without start and end",
    run: async ({ user }) => {
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      for (const days of [-1, 1, 89, 92])
        await store(user, { title: String(days), scheduled_time: inDays(days) });
      const { body } = await user.api.get("/calendar/events");
      expect(body.data.map(({ title }: { title: string }) => title)).toEqual(["1", "89"]);
    },
  },
  {
    route: "GET /calendar/events",
    title: "answers a start after the end, an invalid date and an invalid id with 400",
    run: async ({ user }) => {
      const queries = ["start=2030-02-30", "end=soon", "start=2030-02-02&end=2030-02-01", "drone_id=one"];
      for (const query of queries)
        expect([query, await user.api.get(`/calendar/events?${query}`)]).toMatchObject([query, bad("")]);
    },
  },
  {
    route: "GET /calendar/events/:event_id",
    title: "answers the event, and 404 to another user and for a missing one",
    run: async ({ user, otherUser }) => {
      const event = await store(user);
      const path = `/calendar/events/${event.id}`;
      expect((await user.api.get(path)).body.data).toEqual(event);
      expect(await otherUser.api.get(path)).toMatchObject(gone);
      expect((await user.api.get("/calendar/events/first")).status).toBe(404);
    },
  },
  {
    route: "PUT /calendar/events/:event_id",
    title: "changes the given keys, links the caller's execution, and refuses another user's",
    run: async (world) => {
      const { user, otherUser } = world;
      const event = await store(user);
      const path = `/calendar/events/${event.id}`;
      const execution_id = await newExecution(world, user, event.drone_id);
      const { status, body } = await user.api.put(path, { execution_id, status: "completed" });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        ...event,
        execution_id,
        status: "completed",
        updated_at: expect.any(String),
      });
      const theirs = await plan(otherUser);
      const foreign = await newExecution(world, otherUser, theirs.drone_id);
      const changes = [
        { execution_id: foreign },
        { drone_id: theirs.drone_id },
        { mission_id: theirs.mission_id },
      ];
      for (const change of changes) expect(await user.api.put(path, change)).toMatchObject(gone);
      expect(await otherUser.api.put(path, { title: "Mine" })).toMatchObject(gone);
      expect((await user.api.get(path)).body.data).toEqual(body.data);
    },
  },
  {
    route: "PUT /calendar/events/:event_id",
    title: "answers invalid values, and a title that is taken at that time, with 400",
    run: async ({ user }) => {
      await store(user);
      const event = await store(user, { title: "Other" });
      const path = `/calendar/events/${event.id}`;
      const changes = [
        { title: "Survey" },
        { title: null },
        { scheduled_time: "2030-02-30" },
        { status: "up" },
      ];
      for (const change of [...changes, { execution_id: "1" }, { recurrence_rule: "FREQ=DAILY;COUNT=0" }])
        expect([change, await user.api.put(path, change)]).toMatchObject([change, bad("")]);
      expect((await user.api.get(path)).body.data).toEqual(event);
    },
  },
  {
    route: "DELETE /calendar/events/:event_id",
    title: "deletes it once, and not another user's",
    run: async ({ user, otherUser }) => {
      const path = `/calendar/events/${(await store(user, daily)).id}`;
      expect(await otherUser.api.delete(path)).toMatchObject(gone);
      expect(await user.api.delete(path)).toMatchObject({ status: 200, body: { success: true } });
      expect(await user.api.delete(path)).toMatchObject(gone);
      expect(await list(user, inMay)).toEqual([]);
    },
  },
];

export const occurrencesContract: readonly ContractCase[] = [
  {
    route: "PUT /calendar/events/:event_id/occurrences/status",
    title: "marks one occurrence until it is scheduled again, with the caller's execution",
    run: async (world) => {
      const { user } = world;
      const event = await store(user, daily);
      const path = `/calendar/events/${event.id}/occurrences/status`;
      const execution_id = await newExecution(world, user, event.drone_id);
      const mark = (status: string) =>
        user.api.put(path, { occurrence_time: "2030-05-08T10:00:00+02:00", status, execution_id });
      const states = async () => (await list(user, inMay)).map(({ status }: { status: string }) => status);
      const marked = await mark("completed");
      const shown = { status: "completed", execution_id, scheduled_time: "2030-05-08T08:00:00.000Z" };
      expect(marked).toMatchObject({ status: 200, body: { data: { ...shown, is_occurrence: true } } });
      expect(await states()).toEqual(["scheduled", "scheduled", "completed", "scheduled", "scheduled"]);
      expect((await list(user, inMay))[2]).toEqual(marked.body.data);
      expect((await mark("scheduled")).body.data).toMatchObject({ status: "scheduled", execution_id: null });
      expect(await states()).toEqual(Array(5).fill("scheduled"));
      expect(await world.gateway.deps.db("calendar_exceptions").where({ event_id: event.id })).toEqual([]);
    },
  },
  {
    route: "PUT /calendar/events/:event_id/occurrences/status",
    title: "answers 400 for a single event, a time that is not an occurrence and an unknown status",
    run: async ({ user, otherUser }) => {
      const single = await store(user);
      const series = await store(user, { ...daily, title: "Series" });
      const mark = (id: number, body: object, by = user) =>
        by.api.put(`/calendar/events/${id}/occurrences/status`, body);
      const good = { occurrence_time: START, status: "cancelled" };
      expect(await mark(single.id, good)).toMatchObject(bad(/does not recur/));
      for (const occurrence_time of ["2030-05-06T08:00:01Z", "2030-05-05T08:00:00Z", "2030-05-11T08:00:00Z"])
        expect(await mark(series.id, { ...good, occurrence_time })).toMatchObject(bad(/not an occurrence/));
      for (const change of [{ status: "gone" }, { occurrence_time: "2030-02-30" }, { execution_id: "x" }])
        expect(await mark(series.id, { ...good, ...change })).toMatchObject(bad(""));
      expect(await mark(series.id, { ...good, execution_id: 2_000_000_000 })).toMatchObject(gone);
      expect(await mark(series.id, good, otherUser)).toMatchObject(gone);
    },
  },
  {
    route: "DELETE /calendar/events/:event_id/occurrences",
    title: "cancels one occurrence, which is still listed, and refuses other times",
    run: async ({ user, otherUser }) => {
      const event = await store(user, daily);
      const path = `/calendar/events/${event.id}/occurrences`;
      const cancel = (time: string, by = user) => by.api.delete(`${path}?occurrence_time=${time}`);
      for (const time of ["2030-05-07T08:00:00Z", "2030-05-07T08:00:00+00:00"])
        expect(await cancel(time)).toMatchObject({ status: 200, body: { data: { status: "cancelled" } } });
      const listed = await list(user, inMay);
      expect(listed.map(({ status }: { status: string }) => status)).toEqual(
        [1, 2, 3, 4, 5].map((at) => (at === 2 ? "cancelled" : "scheduled")),
      );
      expect(await cancel("2030-05-07T09:00:00Z")).toMatchObject(bad(/not an occurrence/));
      expect(await cancel("")).toMatchObject(bad(/occurrence_time/));
      expect(await user.api.delete(path)).toMatchObject(bad(/occurrence_time/));
      expect(await cancel("2030-05-07T08:00:00Z", otherUser)).toMatchObject(gone);
    },
  },
];

async function newExecution({ gateway }: ContractWorld, user: TestUser, drone_id: number): Promise<number> {
  const at = new Date();
  const [row] = await gateway.deps
    .db("executions")
    .insert({ drone_id, user_id: user.id, status: "completed", started_at: at, completed_at: at })
    .returning("id");
  return row.id;
}
