import { once } from "node:events";
import { createMetrics } from "../platform/metrics";
import { atEndOfFile } from "../testing/clean-up";
import { rawCaller } from "../testing/raw-http";
import { filesWith } from "../testing/source-files";
import { until } from "../testing/until";
import { closeServer, listen } from "./listen";
import { limitedServer, publicLimits } from "./server";

const variables = {
  HTTP_HEADERS_SECONDS: 1,
  HTTP_REQUEST_SECONDS: 1,
  HTTP_MAX_CONNECTIONS: 6,
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: 3,
  TRUSTED_PROXIES: ["127.0.0.9/32"],
};

async function serve(more: Partial<typeof variables> = {}) {
  const registry = createMetrics("test");
  const server = limitedServer(
    (_request, response) => response.end("served"),
    publicLimits({ ...variables, ...more }, registry),
  );
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const port = Number(new URL(url).port);
  return {
    come: (from?: string) => rawCaller(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", from),
    turnedAway: async () =>
      [...(await registry.metrics()).matchAll(/turned_away_total\{reason="(\w+)",process="test"\} (\d+)/g)]
        .map(([, reason, count]) => `${reason} ${count}`)
        .sort(),
  };
}

test("a proxy's connection is kept for longer than nginx keeps it, so that the proxy is the one to close it", async () => {
  const { come } = await serve();
  const proxy = await come();
  await isServed(proxy);
  const [, seconds] = /\r\nKeep-Alive: timeout=(\d+)\r\n/.exec(proxy.heard()) ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

const isServed = (caller: Awaited<ReturnType<typeof rawCaller>>) =>
  until(() => caller.heard().includes("served"));

test("one address has so many connections; its next is hung up on, another's is served, and its own once one has left", async () => {
  const { come, turnedAway } = await serve();
  const first = await Promise.all([come(), come(), come()]);
  for (const caller of first) await isServed(caller);
  const fourth = await come();
  await fourth.closed;
  expect(fourth.heard()).toBe("");
  await isServed(await come("127.0.0.2"));
  expect(await turnedAway()).toEqual(["address_full 1", "full 0"]);
  first[0]?.socket.destroy();
  await until(async () => {
    const again = await come();
    await Promise.race([again.closed, once(again.socket, "data")]);
    return again.heard() !== "";
  });
});

test("a proxy's address stands for many and has as many as the port takes, and no more", async () => {
  const { come, turnedAway } = await serve();
  for (const caller of await Promise.all(Array.from({ length: 6 }, () => come("127.0.0.9"))))
    await isServed(caller);
  const seventh = await come("127.0.0.9");
  await seventh.closed;
  expect(seventh.heard()).toBe("");
  expect(await turnedAway()).toEqual(["address_full 0", "full 1"]);
});

test("without a limit for addresses one may have them all", async () => {
  const { come } = await serve({ HTTP_MAX_CONNECTIONS_PER_ADDRESS: 0 });
  for (const caller of await Promise.all(Array.from({ length: 6 }, () => come()))) await isServed(caller);
});

test("every HTTP server of a service is a limited one", () => {
  const makes = /import \{[^}]*\bcreateServer\b[^}]*\} from "node:https?"/;
  expect(filesWith(makes, /^laptop\//)).toEqual(["http/server.ts"]);
});
