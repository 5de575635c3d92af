import { createServer } from "node:http";
import Koa from "koa";
import { DomainError } from "../domain/errors";
import { createLogger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { atEndOfFile } from "../testing/clean-up";
import { errorBoundary } from "./error-boundary";
import { observeRequests } from "./observe";
import { closeServer, listen } from "./server/listen";

/** What a caller is answered, and what the log holds, when a request ends with this error. */
async function failing(error: DomainError) {
  const lines: string[] = [];
  const log = createLogger("test", "info", { write: (line) => void lines.push(line) });
  const app = new Koa();
  app.use(observeRequests(log, createMetrics("test"), []));
  app.use(errorBoundary([], "/api/v1"));
  app.use(() => {
    throw error;
  });
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const reply = await fetch(`${url}/api/v1/simulator/start`);
  return { status: reply.status, body: await reply.json(), log: lines.join("") };
}

test("another service's error message is logged and not sent to the client", async () => {
  const cause = Object.assign(new Error("statefulsets is forbidden"), { customer: "pilot@example.com" });
  const { status, body, log } = await failing(new DomainError("simulation_refused", "It failed.", { cause }));
  expect({ status, body }).toEqual({ status: 400, body: { error: "It failed." } });
  expect(log).toContain("Error: statefulsets is forbidden");
  expect(log).not.toContain("pilot@example.com");
});

test("the cause of invalid input, which quotes the client, is not logged", async () => {
  const cause = new Error("my password is hunter2");
  const { status, log } = await failing(new DomainError("invalid_input", "It does not fit.", { cause }));
  expect(status).toBe(400);
  expect(log).toContain("invalid_input");
  expect(log).not.toContain("hunter2");
});
