import { z } from "zod";
import { databaseDigest } from "../../testing/access/database-digest";
import { createUserObjects, type UserObjects } from "../../testing/access/user-objects";
import type { ApiClient, Reply } from "../../testing/client";
import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import { rawStatuses } from "../../testing/raw-http";
import { hostileTexts } from "../../testing/spec-fuzz";
import { type Operation, operationsOf, pathOf, type Schema, sample } from "../../testing/spec-requests";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

/** A busy machine that runs many tests at once must not fail these. */
const SLOWEST_ANSWER_MS = 10_000;

let gateway: TestGateway;
let target: GatewayProcess;
let own: UserObjects;
let operations: Operation[];
beforeAll(async () => {
  gateway = await startTestGateway();
  own = await createUserObjects(gateway);
  const unlimited = {
    LOGIN_FAILURES_PER_15_MINUTES: "0",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "0",
    ...{ QUOTA_REQUESTED_MAILS: "0", QUOTA_NETWORK_MAILS: "0", QUOTA_REGISTRATIONS: "0" },
    // Where it is built, an unknown path gets its page.
    CONSOLE: "off",
  };
  target = await startGatewayProcess(gateway, unlimited);
  operations = operationsOf((await gateway.api.get("/apispec.json")).body);
});

const served = <T>(work: () => Promise<T>) => probeDuring(target.api.as(own.user.token), "/user", work);

function callerOf(operation: Operation): ApiClient {
  const route = gateway.features.routes.find(
    ({ method, path }) => `${method.toUpperCase()} ${path}` === operation.name,
  );
  if (route?.guard === "drone") return target.api.with({ "x-drone-ip": own.ip });
  return target.api.as(route?.guard === "video_room" ? own.roomToken : own.user.token);
}

/** The fault of a reply: a status that is not described, or an internal error. */
function wrong(operation: Operation, { status, body }: Reply): string | undefined {
  const text = JSON.stringify(body);
  if (operation.statuses.has(status) && !text.includes("Something went wrong on our side")) return undefined;
  return `${operation.name}: ${status} ${text.slice(0, 200)}`;
}

const MEGABYTE = 1_000_000;
const bombs: Readonly<Record<string, string>> = {
  "a deep array": "[".repeat(MEGABYTE / 2) + "]".repeat(MEGABYTE / 2),
  "a deep array without an end": "[".repeat(MEGABYTE),
  "a deep object": `${'{"a":'.repeat(MEGABYTE / 6)}1${"}".repeat(MEGABYTE / 6)}`,
  "a long array": `[${"0,".repeat(MEGABYTE / 2 - 2)}0]`,
  "an array of objects": `[${"{},".repeat(MEGABYTE / 3 - 2)}{}]`,
  "many keys": `{${Array.from({ length: MEGABYTE / 12 }, (_, at) => `"k${at}":0`).join(",")}}`,
  "a long number": "9".repeat(MEGABYTE),
  "a long text": `"${"a".repeat(MEGABYTE - 2)}"`,
  "a prototype": `{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"id":1}`,
};

test.each(Object.keys(bombs))(
  "%s in the body of a request is refused on every route, and others are served",
  async (kind) => {
    const bodied = operations.filter(({ body }) => body);
    expect(bodied.length).toBeGreaterThan(30);
    const { result, slowestMs, failed } = await served(async () => {
      const faults: (string | undefined)[] = [];
      for (const operation of bodied) {
        const path = pathOf(operation, () => 1);
        faults.push(wrong(operation, await callerOf(operation).send(operation.method, path, bombs[kind])));
      }
      return faults.filter(Boolean);
    });
    expect(result).toEqual([]);
    expect(failed).toBe(0);
    expect(slowestMs).toBeLessThan(SLOWEST_ANSWER_MS);
  },
);

test("a deeply nested value is refused where the schema accepts any value", async () => {
  // Within the limit of this body.
  const bomb = "[".repeat(2_000) + "]".repeat(2_000);
  const body = `{"drone_id":${own.drone},"mode_info":{"custom_mode":${bomb}}}`;
  const reply = await target.api.as(own.user.token).post("/drone/action/set_mode", body);
  expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("nested too deeply") } });
});

/** The texts of an operation's body and query, each by what it is called. */
function textsOf(operation: Operation): string[] {
  const names = new Set<string>();
  const look = (schema: Schema): void => {
    if (schema.items) look(schema.items);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (property.type === "string" && !property.enum) names.add(name);
      look(property);
    }
  };
  if (operation.body) look(operation.body);
  for (const { name, schema } of operation.parameters) if (schema.type === "string") names.add(name);
  return [...names];
}

test("hostile texts in any text field get a described status and change no table", async () => {
  const tables = Object.keys(await databaseDigest(gateway.deps.db));
  const faults: string[] = [];
  let asked = 0;
  for (const operation of operations)
    for (const field of textsOf(operation))
      for (const text of hostileTexts) {
        // Without it, the path is another one.
        if (text === "" && operation.parameters.some(({ in: of, name }) => of === "path" && name === field))
          continue;
        const fill = (name: string, schema: Schema) => {
          if (name === field && schema.type === "string") return text;
          return name === "drone_id" ? own.drone : undefined;
        };
        const path = pathOf(operation, ({ name, schema, required }) =>
          name === field
            ? Buffer.from(text).toString().slice(0, 4_000)
            : required
              ? sample(schema, undefined, name)
              : undefined,
        );
        const body = operation.body && sample(operation.body, fill);
        const reply = await callerOf(operation).send(operation.method, path, body);
        const fault = reply.status === 404 ? undefined : wrong(operation, reply);
        if (fault) faults.push(`${field}=${JSON.stringify(text.slice(0, 40))} ${fault}`);
        expect(reply.headers.has("set-cookie")).toBe(false);
        asked += 1;
      }
  expect(faults).toEqual([]);
  expect(asked).toBeGreaterThan(500);
  expect(Object.keys(await databaseDigest(gateway.deps.db))).toEqual(tables);
}, 120_000);

const request = (line: string, headers = "", body = "") =>
  `${line}\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${body}`;
const get = (path: string) => request(`GET ${path} HTTP/1.1`);
const login = "POST /api/v1/login HTTP/1.1";
const chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
const tricks: [what: string, bytes: string | Buffer, statuses: number[]][] = [
  ["two slashes", get("//api/v1/user"), [404]],
  ["two slashes within", get("/api//v1/user"), [404]],
  ["a way up", get("/api/v1/billing/pricing/../../user"), [404]],
  ["an encoded way up", get("/api/docs/%2e%2e/%2e%2e/package.json"), [404]],
  ["an encoded slash", get("/api/v1%2fuser"), [404]],
  ["a broken escape", get("/api/v1/mission/%zz"), [400, 401, 404]],
  ["an encoded NUL", get("/api/v1/mission/1%00"), [401]],
  ["a NUL", get("/api/v1/mission/\0"), [400]],
  ["the absolute form", get("http://evil.example.com/api/v1/user"), [400, 401, 404]],
  ["another's authority", get("//evil.example.com/api/v1/user"), [404]],
  ["a path of 60 kB", get(`/api/v1/${"a".repeat(60_000)}`), [431]],
  ["a header of 60 kB", request("GET /api/v1/user HTTP/1.1", `X-Long: ${"a".repeat(60_000)}\r\n`), [431]],
  ["3,000 headers", request("GET /api/v1/user HTTP/1.1", "A: b\r\n".repeat(3_000)), [401, 431]],
  ["a folded header", request("GET /api/v1/user HTTP/1.1", "X-A: b\r\n c\r\n"), [400, 401]],
  ["a NUL in a header", request("GET /api/v1/user HTTP/1.1", "X-A: \0\r\n"), [400]],
  ["a name with a space", request("GET /api/v1/user HTTP/1.1", "X-Drone-IP : 10.71.0.2\r\n"), [400]],
  ["two lengths", request(login, "Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), [400]],
  [
    "a length and chunks",
    request(login, `Content-Length: 4\r\n${chunked}`, "0\r\n\r\nGET /x HTTP/1.1\r\n\r\n"),
    [400],
  ],
  ["chunks of no size", request(login, chunked, "zz\r\n"), [400]],
  ["a chunk beyond any", request(login, chunked, "ffffffffffffffffff\r\n"), [400, 413]],
  ["a length below nothing", request(login, "Content-Length: -1\r\n"), [400]],
  ["no host", "GET /api/v1/user HTTP/1.1\r\n\r\n", [400]],
  ["no method", "\r\n\r\nGARBAGE\r\n\r\n", [400]],
  ["TLS", Buffer.from("16030100ff010000fb0303", "hex"), [400]],
  ["an upgrade to nothing", request("GET /api/v1/user HTTP/1.1", "Upgrade: websocket\r\n"), [401]],
  [
    "an upgrade elsewhere",
    request("GET /other HTTP/1.1", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
    [],
  ],
];

test.each(tricks)("%s: a malformed request gets one reply", async (_what, bytes, statuses) => {
  const answered = await rawStatuses(target.port, bytes);
  if (statuses.length === 0) expect(answered.filter((status) => status < 400 || status > 499)).toEqual([]);
  else expect([answered.length, statuses.includes(answered[0] ?? 0), answered]).toEqual([1, true, answered]);
  expect((await target.api.as(own.user.token).get("/user")).status).toBe(200);
});

test("recurrence rules without occurrences, or with one every second, do not delay other clients", async () => {
  const api = target.api.as(own.user.token);
  const rules = [
    "FREQ=SECONDLY",
    "FREQ=SECONDLY;INTERVAL=1;COUNT=999999999",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=23;BYMINUTE=59;BYSECOND=59;BYSETPOS=-366",
    `FREQ=MINUTELY;BYSECOND=${Array.from({ length: 60 }, (_, at) => at).join(",")}`,
    "FREQ=SECONDLY;UNTIL=99991231T235959Z;BYMONTH=13",
    "FREQ=HOURLY;INTERVAL=0",
    `FREQ=DAILY;BYMONTHDAY=${"1,".repeat(480)}1`,
  ];
  const { result, slowestMs, failed } = await served(async () => {
    const statuses: number[] = [];
    for (const [at, recurrence_rule] of rules.entries()) {
      const input = { title: `Bomb ${at}`, drone_id: own.drone, mission_id: own.mission };
      const made = await api.post("/calendar/events", {
        ...{ ...input, scheduled_time: "2030-01-01T00:00:00Z", recurrence_rule },
      });
      const listed = await api.get("/calendar/events?start=2030-01-01T00:00:00Z&end=2039-01-01T00:00:00Z");
      statuses.push(made.status, listed.status);
    }
    return statuses;
  });
  expect(result.filter((status) => ![200, 201, 400].includes(status))).toEqual([]);
  expect(failed).toBe(0);
  expect(slowestMs).toBeLessThan(SLOWEST_ANSWER_MS);
});

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, value) => value).join(",");
/** Some 43,200 times a day, which are made before any day is looked at. */
const halfOfAllSeconds = `BYSECOND=${upTo(29)};BYMINUTE=${upTo(59)};BYHOUR=${upTo(23)}`;

/** A user whose calendar has these series. */
async function planner(rules: readonly string[]) {
  const user = await gateway.newUser();
  const rows = rules.map((recurrence_rule, at) => ({
    ...{ user_id: user.id, drone_id: own.drone, mission_id: own.mission, title: `${at}`, recurrence_rule },
    scheduled_time: "2030-03-01T00:00:00Z",
  }));
  const stored = await gateway.deps.db("calendar_events").insert(rows).returning("id");
  return { api: target.api.as(user.token), ids: stored.map(({ id }) => id as number) };
}

test("600 series with expensive rules are listed, and other clients are not delayed", async () => {
  const kinds = [
    `FREQ=YEARLY;${halfOfAllSeconds}`,
    `FREQ=MONTHLY;${halfOfAllSeconds},0,0,0,0,0`,
    "FREQ=SECONDLY;COUNT=1000000;TZID=America/New_York",
    `FREQ=DAILY;BYHOUR=${"1,".repeat(100)}1;BYMINUTE=${"1,".repeat(100)}1;BYSECOND=${"1,".repeat(100)}1`,
  ];
  const { api } = await planner(Array.from({ length: 600 }, (_, at) => kinds[at % kinds.length] as string));
  const { result, slowestMs, failed } = await served(() =>
    api.get("/calendar/events?start=2030-04-02T00:00:00Z&end=2031-04-01T00:00:00Z"),
  );
  expect([result.status, result.body.message]).toEqual([200, expect.stringMatching(/\d{3} events/)]);
  expect(failed).toBe(0);
  // With the event loop standing it was ten seconds.

  expect(slowestMs).toBeLessThan(3_000);
});

test("a series whose exceptions are too expensive to move stays as it is, and other clients are not delayed", async () => {
  const recurrence_rule = `FREQ=MONTHLY;${halfOfAllSeconds}`;
  const { api, ids } = await planner([recurrence_rule]);
  const [id] = ids;
  const exceptions = Array.from({ length: 300 }, (_, at) => {
    const occurrence_time = new Date(Date.UTC(2030, 2, 1, 0, Math.floor(at / 30), at % 30));
    return { event_id: id, status: "cancelled", occurrence_time };
  });
  await gateway.deps.db("calendar_exceptions").insert(exceptions);
  const before = await databaseDigest(gateway.deps.db);
  const { result, slowestMs, failed } = await served(() =>
    api.put(`/calendar/events/${id}`, {
      recurrence_rule: `FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;${halfOfAllSeconds}`,
    }),
  );
  expect(result).toMatchObject({
    status: 400,
    body: { success: false, error: { message: expect.stringContaining("more than can be computed") } },
  });
  expect(await databaseDigest(gateway.deps.db)).toEqual(before);
  expect(failed).toBe(0);
  // With the event loop standing it was many seconds.

  expect(slowestMs).toBeLessThan(3_000);
});

/** Long texts that a pattern nearly fits: its own characters over and over, and something else at the end. */
function nearMisses(pattern: string): string[] {
  const own = [...new Set(pattern.replaceAll(/\\./g, "a1 ").match(/[A-Za-z0-9@._\-/:;+]/g) ?? [])].slice(
    0,
    12,
  );
  const units = [
    ...own,
    ...own.flatMap((one) => ["a", "1", "."].map((other) => one + other)),
    "a.",
    "A-a.",
    "a@a.",
  ];
  return units.map((unit) => `${unit.repeat(60_000 / unit.length)}\n!`);
}

test("no regular expression of /apispec.json takes quadratic time", () => {
  const patterns = new Set<string>();
  const look = (schema: Schema): void => {
    if (schema.pattern) patterns.add(schema.pattern);
    if (schema.items) look(schema.items);
    for (const property of Object.values(schema.properties ?? {})) look(property);
  };
  for (const { body, parameters } of operations)
    for (const one of [body, ...parameters.map(({ schema }) => schema)]) if (one) look(one);
  expect(patterns.size).toBeGreaterThan(3);
  const slow: string[] = [];
  for (const pattern of patterns)
    for (const text of nearMisses(pattern)) {
      const before = process.cpuUsage();
      z.string().regex(new RegExp(pattern)).safeParse(text);
      const spentMs = process.cpuUsage(before).user / 1000;
      // Quadratic, it would be seconds.
      if (spentMs > 400) slow.push(`${pattern} ${text.slice(0, 10)}: ${spentMs} ms`);
    }
  expect(slow).toEqual([]);
});

test("after all these tests the gateway's peak memory is below 500 MB", () => {
  expect(target.memory().peak).toBeLessThan(500);
});
