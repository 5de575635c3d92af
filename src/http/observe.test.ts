import { createServer } from "node:http";
import Koa from "koa";
import { createLogger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { atEndOfFile } from "../testing/clean-up";
import { rawClient } from "../testing/raw-http";
import { until } from "../testing/until";
import { errorBoundary } from "./error-boundary";
import { observeRequests } from "./observe";
import { closeServer, listen } from "./server/listen";

test("a client that disconnects before its reply is logged and counted as 499, an unknown path as 404", async () => {
  const lines: string[] = [];
  const log = createLogger("test", "info", { write: (line) => void lines.push(line) });
  const registry = createMetrics("test");
  const app = new Koa().use(observeRequests(log, registry, [])).use(errorBoundary([], ""));
  let waiting = 0;
  app.use(async (ctx, next) => {
    if (ctx.path !== "/slow") return next();
    waiting += 1;
    await new Promise((resolve) => ctx.res.once("close", resolve));
  });
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const { socket } = await rawClient(Number(new URL(url).port), "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => waiting === 1);
  socket.destroy();
  await until(() => lines.length === 1);
  await fetch(`${url}/unknown`);
  await until(() => lines.length === 2);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { status: 499, code: "client_closed_request", path: "/slow" },
    { status: 404, code: "not_found", path: "/unknown" },
  ]);
  const metrics = await registry.metrics();
  for (const status of ["499", "404"])
    expect(metrics).toMatch(new RegExp(`fleet_http_requests_total\\{[^}]*status="${status}"[^}]*\\} 1`));
});

/** The address that is logged and counted, for a request that a proxy at 127.0.0.1 forwards. */
async function addressBehind(trusted: readonly string[], forwarded: string): Promise<string> {
  const app = new Koa();
  const log = createLogger("test", "silent");
  app.use(observeRequests(log, createMetrics("test"), ["loopback", ...trusted]));
  app.use((ctx) => {
    ctx.body = ctx.state.address;
  });
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  return (await fetch(url, { headers: { "x-forwarded-for": forwarded } })).text();
}

test.each([
  ["the balancer's addition", "203.0.113.7"],
  ["a balancer and an ingress", "203.0.113.7, 10.0.3.4"],
  ["a forged address before the true one", "198.51.100.66, 203.0.113.7"],
  ["a forged private address", "10.0.0.1, 203.0.113.7"],
  ["a forged chain, a balancer and an ingress", "198.51.100.66, 10.0.0.1, 203.0.113.7, 10.0.3.4"],
  ["nonsense before the true one", "unknown, 'x', 203.0.113.7"],
])("with TRUSTED_PROXIES=uniquelocal, %s gives the client's own address", async (_what, forwarded) => {
  expect(await addressBehind(["uniquelocal"], forwarded)).toBe("203.0.113.7");
});

test("a client with a private address is believed where all private addresses are proxies, and not where proxies are named", async () => {
  const forged = "198.51.100.66, 10.0.9.9";
  expect(await addressBehind(["uniquelocal"], forged)).toBe("198.51.100.66");
  expect(await addressBehind(["10.0.3.0/24"], forged)).toBe("10.0.9.9");
});
