import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createMetrics } from "../../platform/process/metrics";
import { atEndOfFile } from "../../testing/clean-up";
import { rawClient } from "../../testing/raw-http";
import { filesWith } from "../../testing/repository/source-files";
import { until } from "../../testing/until";
import { limitedServer, publicLimits } from "./limited-server";
import { closeServer, listen } from "./listen";

const variables = {
  HTTP_REQUEST_SECONDS: 1,
  HTTP_MAX_CONNECTIONS: 6,
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: 3,
  TRUSTED_PROXIES: ["127.0.0.9/32"],
};

async function serve(
  { replyStallSeconds = 1, ...more }: Partial<typeof variables> & { replyStallSeconds?: number } = {},
  answer: RequestListener = (_request, response) => response.end("served"),
) {
  const registry = createMetrics("test");
  const server = limitedServer(answer, {
    ...publicLimits({ ...variables, ...more }, registry),
    replyStallSeconds,
  });
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const port = Number(new URL(url).port);
  return {
    server,
    port,
    stalled: async () =>
      Number(/stalled_replies_total\{process="test"\} (\d+)/.exec(await registry.metrics())?.[1]),
    come: (from?: string) => rawClient(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", from),
    rejected: async () =>
      [
        ...(await registry.metrics()).matchAll(
          /connections_rejected_total\{reason="(\w+)",process="test"\} (\d+)/g,
        ),
      ]
        .map(([, reason, count]) => `${reason} ${count}`)
        .sort(),
  };
}

test("a proxy's connection is kept for longer than nginx keeps it, so that the proxy is the one to close it", async () => {
  const { come } = await serve();
  const proxy = await come();
  await isServed(proxy);
  const [, seconds] = /\r\nKeep-Alive: timeout=(\d+)\r\n/.exec(proxy.received()) ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

const isServed = (caller: Awaited<ReturnType<typeof rawClient>>) =>
  until(() => caller.received().includes("served"));

test("an address has a limited number of connections: the next is closed until one of them ends, other addresses are served", async () => {
  const { come, rejected } = await serve();
  const first = await Promise.all([come(), come(), come()]);
  for (const caller of first) await isServed(caller);
  const fourth = await come();
  await fourth.closed;
  expect(fourth.received()).toBe("");
  await isServed(await come("127.0.0.2"));
  expect(await rejected()).toEqual(["address_full 1", "full 0"]);
  first[0]?.socket.destroy();
  await until(async () => {
    const again = await come();
    await Promise.race([again.closed, once(again.socket, "data")]);
    return again.received() !== "";
  });
});

test("a trusted proxy's connections are limited by the port's limit only", async () => {
  const { come, rejected } = await serve();
  for (const caller of await Promise.all(Array.from({ length: 6 }, () => come("127.0.0.9"))))
    await isServed(caller);
  const seventh = await come("127.0.0.9");
  await seventh.closed;
  expect(seventh.received()).toBe("");
  expect(await rejected()).toEqual(["address_full 0", "full 1"]);
});

test("the addresses of one IPv6 /64 share a limit", async () => {
  const { server, rejected } = await serve();
  /** A connection as it is handed to the server, from where it says. */
  const comeFrom = (remoteAddress: string) => {
    const socket = Object.assign(new PassThrough(), { remoteAddress });
    server.emit("connection", socket);
    return socket;
  };
  const first = ["2001:db8:0:7::1", "2001:db8:0:7::2", "2001:db8:0:7:ffff::3"].map(comeFrom);
  expect(first.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  expect(comeFrom("2001:db8:0:7::4").destroyed).toBe(true);
  expect(comeFrom("2001:db8:0:8::1").destroyed).toBe(false);
  expect(await rejected()).toEqual(["address_full 1", "full 0"]);
  const gone = first[0]?.destroy() as PassThrough;
  await once(gone, "close");
  expect(comeFrom("2001:db8:0:7::4").destroyed).toBe(false);
});

test("without a limit per address one address may use the port's whole limit", async () => {
  const { come } = await serve({ HTTP_MAX_CONNECTIONS_PER_ADDRESS: 0 });
  for (const caller of await Promise.all(Array.from({ length: 6 }, () => come()))) await isServed(caller);
});

const ask = (upgrade: string) =>
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAQAAP__\r\n\r\n`;

test.each(["h2c", "TLS/1.0", "h2c, websocket"])(
  "a client that offers an upgrade to %s is answered in HTTP/1.1 and keeps its connection",
  async (offered) => {
    const { server, come } = await serve();
    server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const caller = await come();
    await isServed(caller);
    for (const answers of [2, 3]) {
      caller.socket.write(ask(offered));
      await until(() => caller.received().split("\r\nserved").length === answers + 1);
    }
    expect(caller.received()).not.toContain("101");
  },
);

test("a WebSocket upgrade reaches the upgrade handler; without a handler it is answered as a plain request", async () => {
  const { server, come } = await serve();
  const plain = await come();
  plain.socket.write(ask("websocket"));
  await until(() => plain.received().split("served").length === 3);
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  const caller = await come();
  await isServed(caller);
  caller.socket.write(ask("WebSocket"));
  await until(() => caller.received().includes(" 101 "));
});

/** More than the system keeps for a connection on both of its ends. */
const LONG = Buffer.alloc(40_000_000, "a long reply");
const long: RequestListener = (_request, response) => response.end(LONG);

describe("a reply of forty megabytes", () => {
  const ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

  test("is ended when the client does not read it, even if the handler took longer than the stall time", async () => {
    const { port, stalled } = await serve({}, (_request, response) =>
      // Longer than the stall time: a handler may take its time.
      setTimeout(() => response.end(LONG), 1_500),
    );
    const caller = await rawClient(port);
    caller.socket.pause();
    caller.socket.write(ask);
    await until(async () => (await stalled()) === 1);
    caller.socket.resume();
    await caller.closed;
    expect(caller.received().length).toBeLessThan(LONG.length);
    expect(caller.received()).toContain("200 OK");
  });

  test("is ended when the client writes but does not read", async () => {
    const { port, stalled } = await serve({}, long);
    const caller = await rawClient(port);
    caller.socket.pause();
    caller.socket.write(ask);
    // Blank lines before a request are no part of it.
    const writing = setInterval(() => caller.socket.write("\r\n"), 200);
    try {
      await until(async () => (await stalled()) === 1);
    } finally {
      clearInterval(writing);
    }
    caller.socket.resume();
    await caller.closed;
    expect(caller.received().length).toBeLessThan(LONG.length);
  });

  test("is sent completely to a slow reader, for longer than the stall time", async () => {
    const { port, stalled } = await serve({}, long);
    const caller = await rawClient(port);
    caller.socket.pause();
    caller.socket.write(ask);
    const began = performance.now();
    // The system tells the server of progress by the megabyte.
    for (let steps = 0; steps < 40; steps++) {
      const enough = caller.socket.bytesRead + 500_000;
      caller.socket.resume();
      while (caller.socket.bytesRead < enough) await once(caller.socket, "data");
      caller.socket.pause();
      await delay(100);
    }
    caller.socket.resume();
    await until(() => caller.socket.bytesRead > LONG.length);
    expect(await stalled()).toBe(0);
    expect(performance.now() - began).toBeGreaterThan(4_000);
  });
});

test("a slow handler and a stream that pauses are not ended", async () => {
  const { come, stalled } = await serve({}, (_request, response) => {
    response.write("first");
    setTimeout(() => response.end("last"), 3_000);
  });
  const caller = await come();
  await until(() => caller.received().includes("last"));
  expect(await stalled()).toBe(0);
});

test("a connection with more than eight unanswered requests is closed", async () => {
  const { port } = await serve({}, (_request, reply) => void setTimeout(() => reply.end("an answer"), 100));
  const ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const eight = await rawClient(port, ask.repeat(8));
  await until(() => eight.received().split("an answer").length === 9);
  const many = await rawClient(port, ask.repeat(2_000));
  await many.closed;
  expect(many.received()).toBe("");
});

test("the replies that wait behind another are closed with their connection, as that one is", async () => {
  const replies: ServerResponse[] = [];
  const { port } = await serve({}, (_request, reply) => void replies.push(reply));
  const { socket } = await rawClient(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await until(() => replies.length === 3);
  const closed = Promise.all(replies.map((reply) => once(reply, "close")));
  socket.resetAndDestroy();
  await closed;
  expect(replies.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  // A handler that ends later does no harm.
  for (const reply of replies) reply.end("late");
});

test("once replies of all clients leave too much unread, the longest stalled connections are closed", async () => {
  const reply = LONG.subarray(0, 22_000_000);
  const { server, port, stalled } = await serve(
    { replyStallSeconds: 60, HTTP_MAX_CONNECTIONS_PER_ADDRESS: 6 },
    (_request, response) => response.end(reply),
  );
  /** A client that has asked, and whose reply waits for it to read. */
  const come = async () => {
    const connected = once(server, "connection");
    const caller = await rawClient(port);
    const [far] = (await connected) as [Socket];
    caller.socket.pause();
    caller.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await isStalled(far);
    return { ...caller, far };
  };
  // Three of 22 MB are less than 64 MiB, four are more. Each long reply is checked when it is written.
  const [reader, second, third] = [await come(), await come(), await come()];
  const enough = reader.socket.bytesRead + 1_500_000;
  reader.socket.resume();
  while (reader.socket.bytesRead < enough) await once(reader.socket, "data");
  reader.socket.pause();
  await isStalled(reader.far);
  expect(await stalled()).toBe(0);
  const last = [await come(), await come()];
  await until(async () => (await stalled()) === 2);
  for (const { socket } of [reader, second, third, ...last]) socket.resume();
  await Promise.all([second.closed, third.closed]);
  await until(() => [reader, ...last].every(({ socket }) => socket.bytesRead > reply.length));
  expect(await stalled()).toBe(2);
});

/** Resolves when the system takes no more of what a server's connection has to send: the same at two looks. */
async function isStalled(socket: Socket): Promise<void> {
  let before = -1;
  await until(() => {
    const waiting = socket.writableLength > 0 ? Reflect.get(socket, "_handle").writeQueueSize : -1;
    const isSame = waiting > 0 && waiting === before;
    before = waiting;
    return isSame;
  });
}

test("every HTTP server of a service is a limited server", () => {
  const makes = /import \{[^}]*(\bcreateServer\b|(?<!type )\bServer\b)[^}]*\} from "node:https?"/;
  expect(filesWith(makes, /^laptop\//)).toEqual(["http/server/limited-server.ts"]);
});
