import { Writable } from "node:stream";
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

test("a line says when, which process and how bad, as JSON", () => {
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
