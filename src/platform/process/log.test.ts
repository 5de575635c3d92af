import { Writable } from "node:stream";
import { atEndOfFile, freshDatabase, freshRedis } from "../../testing";
import { until } from "../../testing/until";
import { openDatabase } from "../postgres/db";
import { openRedis } from "../redis/client";
import { createLogger } from "./log";

test("no secret that an object carries reaches the log", () => {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const log = createLogger("test", "info", sink);
  const secrets = { password: "p-secret", access_token: "a-secret", activation_token: "t-secret" };
  log.info(
    { ...secrets, body: secrets, request: { headers: { authorization: "Bearer h-secret" } } },
    "a request",
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("[redacted]");
  expect(lines[0]).not.toMatch(/[path]-secret/);
});

test("a line is JSON with time, process and level", () => {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  createLogger("relay", "info", sink).warn("low battery");
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: 40,
    process: "relay",
    msg: "low battery",
    time: expect.stringMatching(/Z$/),
  });
});

describe("an error of another service is logged without the secrets that were sent to it", () => {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const log = createLogger("test", "info", sink);
  beforeEach(() => void lines.splice(0));

  test("a Redis login that is refused", async () => {
    const url = new URL((await freshRedis()).url);
    Object.assign(url, { username: "gateway", password: "the-password" });
    const redis = openRedis(url.href, log);
    atEndOfFile(async () => redis.disconnect());
    await until(() => lines.length > 0);
    const refused = await redis.call("AUTH", "gateway", "the-password").catch((error: Error) => error);
    log.error({ err: new AggregateError([refused]), more: { err: refused } }, "twice");
    expect(lines.join("")).toContain("WRONGPASS");
    expect(lines.join("")).not.toContain("the-password");
  });

  test("a Postgres statement that is refused", async () => {
    const db = openDatabase((await freshDatabase()).url);
    atEndOfFile(() => db.destroy());
    const user = { username: "pilot@example.com", password_hash: "the-hash", level: "NONE" };
    await db("users")
      .insert(user)
      .catch((err) => log.error({ err }, "refused"));
    expect(lines.join("")).toContain("insert into");
    expect(lines.join("")).not.toContain("the-hash");
  });
});
