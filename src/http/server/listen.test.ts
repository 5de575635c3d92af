import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { rawClient } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { closeServer, listen } from "./listen";

const ASK = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A server that keeps connections for longer than any test, and whose replies the test sends. */
async function serve() {
  const asked: ServerResponse[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => asked.push(response));
  const port = Number(new URL(await listen(server, 0, "127.0.0.1")).port);
  /** A client whose connection the server has accepted. */
  const come = async (first = "") => {
    const known = once(server, "connection");
    const caller = await rawClient(port, first);
    await known;
    return caller;
  };
  /** A client that has sent a request, and the reply to it. */
  const ask = async () => {
    const before = asked.length;
    const caller = await come(ASK);
    await until(() => asked.length > before);
    return { ...caller, answer: asked[before] as ServerResponse };
  };
  return { server, come, ask, asked };
}

test("a server that closes finishes open requests, closes every connection, and announces it where headers are not sent", async () => {
  const { server, come, ask } = await serve();
  const other = await serve();
  await other.come();
  const silent = await come();
  const halfAsked = await come("GET / HTTP/1.1\r\nHo");
  const idle = await ask();
  idle.answer.end("answered");
  await until(() => idle.received().includes("answered"));
  const [unanswered, halfAnswered] = [await ask(), await ask()];
  halfAnswered.answer.write("half ");
  let isClosed = false;
  const closed = closeServer(server).then(() => {
    isClosed = true;
  });
  const otherClosed = closeServer(other.server);
  await idle.closed;
  unanswered.answer.end("whole");
  await unanswered.closed;
  expect(unanswered.received()).toMatch(/\r\nconnection: close\r\n.*whole/is);
  // The other server, which closes later and has no request, no longer waits for one.
  await otherClosed;
  expect(isClosed).toBe(false);
  halfAnswered.answer.end("and half");
  await Promise.all([halfAnswered.closed, silent.closed, halfAsked.closed, closed]);
  expect(halfAnswered.received()).toMatch(/half .*and half/s);
});

test("a slow reader gets its whole reply while the server closes, and idle connections are closed at once", async () => {
  const { server, ask } = await serve();
  const long = Buffer.alloc(40_000_000, "a long reply");
  const [slow, idle] = [await ask(), await ask()];
  slow.socket.pause();
  slow.answer.end(long);
  idle.answer.end("answered");
  await until(() => idle.received().includes("answered"));
  const closed = closeServer(server);
  await idle.closed;
  slow.socket.resume();
  await Promise.all([slow.closed, closed]);
  expect(slow.received().length).toBeGreaterThan(long.length);
});

test("a request that arrives while the server closes is answered, and its connection closed", async () => {
  const { server, come, asked } = await serve();
  const caller = await come();
  const closed = closeServer(server);
  caller.socket.write(ASK);
  await until(() => asked.length === 1);
  asked[0]?.end("answered");
  await Promise.all([caller.closed, closed]);
  expect(caller.received()).toMatch(/\r\nconnection: close\r\n.*answered/is);
});
