import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createMetrics } from "../../platform/process/metrics";
import { atEndOfFile } from "../../testing/clean-up";
import { filesWith } from "../../testing/guards/source-files";
import { rawCaller } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { limitedServer, publicLimits } from "./limited-server";
import { closeServer, listen } from "./listen";

const variables = {
  HTTP_HEADERS_SECONDS: 1,
  HTTP_REQUEST_SECONDS: 1,
  HTTP_REPLY_STALL_SECONDS: 1,
  HTTP_MAX_CONNECTIONS: 6,
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: 3,
  TRUSTED_PROXIES: ["127.0.0.9/32"],
};

async function serve(
  more: Partial<typeof variables> = {},
  answer: RequestListener = (_request, response) => response.end("served"),
) {
  const registry = createMetrics("test");
  const server = limitedServer(answer, publicLimits({ ...variables, ...more }, registry));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const port = Number(new URL(url).port);
  return {
    server,
    port,
    stalled: async () =>
      Number(/stalled_replies_total\{process="test"\} (\d+)/.exec(await registry.metrics())?.[1]),
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

test("all addresses of one IPv6 /64 have so many connections together, and the next /64 has its own", async () => {
  const { server, turnedAway } = await serve();
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
  expect(await turnedAway()).toEqual(["address_full 1", "full 0"]);
  const gone = first[0]?.destroy() as PassThrough;
  await once(gone, "close");
  expect(comeFrom("2001:db8:0:7::4").destroyed).toBe(false);
});

test("without a limit for addresses one may have them all", async () => {
  const { come } = await serve({ HTTP_MAX_CONNECTIONS_PER_ADDRESS: 0 });
  for (const caller of await Promise.all(Array.from({ length: 6 }, () => come()))) await isServed(caller);
});

const ask = (upgrade: string) =>
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAQAAP__\r\n\r\n`;

test.each(["h2c", "TLS/1.0", "h2c, websocket"])(
  "who offers to go on in %s is answered in HTTP/1.1, and asks again on the same connection",
  async (offered) => {
    const { server, come } = await serve();
    server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const caller = await come();
    await isServed(caller);
    for (const answers of [2, 3]) {
      caller.socket.write(ask(offered));
      await until(() => caller.heard().split("\r\nserved").length === answers + 1);
    }
    expect(caller.heard()).not.toContain("101");
  },
);

test("who asks for a WebSocket gets to whoever opens them, and is answered plainly where nobody does", async () => {
  const { server, come } = await serve();
  const plain = await come();
  plain.socket.write(ask("websocket"));
  await until(() => plain.heard().split("served").length === 3);
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  const caller = await come();
  await isServed(caller);
  caller.socket.write(ask("WebSocket"));
  await until(() => caller.heard().includes(" 101 "));
});

/** More than the system keeps for a connection on both of its ends. */
const LONG = Buffer.alloc(40_000_000, "a long reply");

describe("a reply of forty megabytes", () => {
  const ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const long: RequestListener = (_request, response) => response.end(LONG);

  test("is ended when nobody reads it, and so is one whose beginning took long", async () => {
    const { port, stalled } = await serve({}, (_request, response) =>
      // Longer than the stall time: a handler may take its time.
      setTimeout(() => response.end(LONG), 1_500),
    );
    const caller = await rawCaller(port);
    caller.socket.pause();
    caller.socket.write(ask);
    await until(async () => (await stalled()) === 1);
    caller.socket.resume();
    await caller.closed;
    expect(caller.heard().length).toBeLessThan(LONG.length);
    expect(caller.heard()).toContain("200 OK");
  });

  test("is ended when its reader only writes", async () => {
    const { port, stalled } = await serve({}, long);
    const caller = await rawCaller(port);
    caller.socket.pause();
    caller.socket.write(ask);
    // Blank lines before a request are none of it.
    const writing = setInterval(() => caller.socket.write("\r\n"), 200);
    try {
      await until(async () => (await stalled()) === 1);
    } finally {
      clearInterval(writing);
    }
    caller.socket.resume();
    await caller.closed;
    expect(caller.heard().length).toBeLessThan(LONG.length);
  });

  test("goes whole to somebody who reads a little at a time, for longer than the stall time", async () => {
    const { port, stalled } = await serve({}, long);
    const caller = await rawCaller(port);
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

test("a silent handler and a stream without anything to read are waited for", async () => {
  const { come, stalled } = await serve({}, (_request, response) => {
    response.write("first");
    setTimeout(() => response.end("last"), 3_000);
  });
  const caller = await come();
  await until(() => caller.heard().includes("last"));
  expect(await stalled()).toBe(0);
});

test("who sends requests without an end and reads no reply is hung up on, and few of them are looked at", async () => {
  let asked = 0;
  const { port } = await serve({}, () => {
    asked += 1;
  });
  const caller = await rawCaller(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_000));
  await caller.closed;
  expect(asked).toBe(1);
});

describe("requests that are sent before the replies to earlier ones", () => {
  const asking = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  async function serveByHand() {
    const begun: { path?: string; reply: ServerResponse }[] = [];
    const { port } = await serve({}, ({ url }, reply) => void begun.push({ path: url, reply }));
    const caller = await rawCaller(port, ["/1", "/2", "/3"].map(asking).join(""));
    await until(() => begun.length > 0);
    return { begun, caller };
  }

  test("are begun one by one", async () => {
    const { begun, caller } = await serveByHand();
    for (const at of [0, 1, 2]) {
      await until(() => begun.length > at);
      // Whatever else came with it was read by now.
      await delay(20);
      expect(begun).toHaveLength(at + 1);
      begun[at]?.reply.end(`answer ${begun[at].path}`);
    }
    await until(() => caller.heard().includes("answer /3"));
    expect(caller.heard().match(/answer ../g)).toEqual(["answer /1", "answer /2", "answer /3"]);
  });

  test("are answered as long as they are eight, and hung up on beyond", async () => {
    const { port } = await serve({}, ({ url }, reply) => void reply.end(`answer ${url}`));
    const paths = Array.from({ length: 9 }, (_, at) => `/${at}`);
    const eight = await rawCaller(port, paths.slice(1).map(asking).join(""));
    await until(() => eight.heard().includes("answer /8"));
    const nine = await rawCaller(port, paths.map(asking).join(""));
    await nine.closed;
    expect(nine.heard()).not.toContain("answer /8");
  });

  test("are hung up on when they offer another protocol", async () => {
    const begun: ServerResponse[] = [];
    const { port, server } = await serve({}, (_request, reply) => void begun.push(reply));
    let upgraded = 0;
    server.on("upgrade", () => upgraded++);
    const offer = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const caller = await rawCaller(port, asking("/1") + asking("/2").replace("\r\n\r\n", `\r\n${offer}`));
    await caller.closed;
    expect([begun.length, upgraded]).toEqual([1, 0]);
  });

  test("are not begun for somebody who left", async () => {
    const { begun, caller } = await serveByHand();
    const over = once(begun[0]?.reply as ServerResponse, "close");
    caller.socket.resetAndDestroy();
    await over;
    await delay(20);
    expect(begun).toHaveLength(1);
  });

  test("are not begun when the server hangs up after an earlier reply", async () => {
    const { begun, caller } = await serveByHand();
    begun[0]?.reply.setHeader("connection", "close").end("the last");
    await caller.closed;
    expect(caller.heard()).toContain("the last");
    expect(begun).toHaveLength(1);
  });
});

describe("a body in chunks", () => {
  /** A request of so many chunks, of which the server has read nothing yet. */
  async function chunked(chunks: readonly string[]) {
    const came: IncomingMessage[] = [];
    const { port } = await serve({ HTTP_REQUEST_SECONDS: 30 }, (request) => void came.push(request));
    const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
    const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const caller = await rawCaller(port, `${head}${body}0\r\n\r\n`);
    await until(() => came.length > 0);
    return { caller, request: came[0] as IncomingMessage };
  }

  test("waits for its reader in few pieces, and comes whole", async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `a line, which is the ${at}th of its body\n`);
    const { request } = await chunked(lines);
    await until(() => request.readableLength > 0);
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    await once(request, "end");
    expect(Buffer.concat(pieces).toString()).toBe(lines.join(""));
    expect(pieces.length).toBeLessThan(200);
  });

  test("of a byte each is hung up on once they are thousands", async () => {
    const { caller, request } = await chunked(Array(30_000).fill("x"));
    await caller.closed;
    expect(caller.heard()).toBe("");
    expect(request.complete).toBe(false);
  });
});

test("every HTTP server of a service is a limited one", () => {
  const makes = /import \{[^}]*(\bcreateServer\b|(?<!type )\bServer\b)[^}]*\} from "node:https?"/;
  expect(filesWith(makes, /^laptop\//)).toEqual(["http/server/one-by-one.ts"]);
  expect(filesWith(/\bOneByOneServer\(/)).toEqual(["http/server/limited-server.ts"]);
});
