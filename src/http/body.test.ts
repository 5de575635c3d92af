import { createServer } from "node:http";
import Koa from "koa";
import { atEndOfFile } from "../testing/clean-up";
import { rawClient } from "../testing/raw-http";
import { until } from "../testing/until";
import { readBody } from "./body";
import { toDomainError } from "./errors";
import type { Route } from "./route";
import { closeServer, listen } from "./server/listen";

const LIMIT = 10;

/** A server that answers with the length of each body, or the code of its error. */
async function start(route: Partial<Route> = {}): Promise<number> {
  const app = new Koa().use(async (ctx) => {
    ctx.body = await readBody(ctx, route as Route, LIMIT).then(
      (bytes) => `took ${bytes.toString("hex")}.`,
      (error) => `refused ${toDomainError(error).code}.`,
    );
  });
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  return Number(new URL(url).port);
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const request = (more: string, body: string) => `POST / HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n${body}`;
const JSON_TYPE = "Content-Type: application/json";

test.each([
  ["that says its length", request(`${JSON_TYPE}\r\nContent-Length: 30`, "x".repeat(30))],
  [
    "in chunks",
    request(`${JSON_TYPE}\r\nTransfer-Encoding: chunked`, `${chunk("x".repeat(20)).repeat(2)}0\r\n\r\n`),
  ],
])(
  "a body beyond its limit, %s, is refused, and the connection's next request is answered",
  async (_what, large) => {
    const caller = await rawClient(await start(), large);
    await until(() => caller.received().includes("refused body_too_large."));
    caller.socket.write(request(`${JSON_TYPE}\r\nContent-Length: 2`, "{}"));
    await until(() => caller.received().includes("took 7b7d."));
  },
);

test("a raw body is taken with every byte, whatever its type or without one", async () => {
  const port = await start({ rawBody: { mediaType: "application/octet-stream", description: "Any bytes." } });
  for (const type of [
    "",
    "Content-Type: text/plain\r\n",
    "Content-Type: application/json; charset=utf-8\r\n",
  ]) {
    const caller = await rawClient(port);
    caller.socket.write(request(`${type}Content-Length: 5`, ""));
    caller.socket.write(Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00]));
    await until(() => caller.received().includes("took efbbbfff00."));
  }
});

test("a GET request's body is read too", async () => {
  const caller = await rawClient(await start());
  caller.socket.write(request(`${JSON_TYPE}\r\nContent-Length: 2`, "[]").replace("POST", "GET"));
  await until(() => caller.received().includes("took 5b5d."));
});
