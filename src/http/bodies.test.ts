import { createServer } from "node:http";
import { PassThrough } from "node:stream";
import { createMetrics } from "../platform/process/metrics";
import { rawCaller } from "../testing/raw-http";
import { until } from "../testing/until";
import { Bodies } from "./bodies";
import { readRawBody } from "./raw-body";
import { closeServer, listen } from "./server/listen";

const LARGEST = 2 ** 20;

function start() {
  const registry = createMetrics("test");
  const bodies = new Bodies(LARGEST, registry);
  return {
    bodies,
    /** A request of which so much is under way until it is told to `end`. */
    send: async (caller: string, bytes: number) => {
      let end = () => {};
      await new Promise<void>((resolve, reject) => {
        bodies
          .during(caller, async (hold) => {
            hold(bytes);
            resolve();
            await new Promise<void>((done) => {
              end = done;
            });
          })
          .catch(reject);
      });
      return async () => {
        end();
        await new Promise(setImmediate);
      };
    },
    held: async () => Number(/^fleet_http_body_bytes.* (\d+)$/m.exec(await registry.metrics())?.[1]),
  };
}

test("a caller who has eight of the largest bodies under way gets no other in, a short one always, and others theirs", async () => {
  const { send, held } = start();
  const ends = [];
  for (let n = 0; n < 9; n++) ends.push(await send("user 1", LARGEST));
  await expect(send("user 1", 16_385)).rejects.toMatchObject({
    code: "too_many_requests",
    retryAfterSeconds: 5,
  });
  await send("user 1", 16_384);
  const other = await send("user 2", LARGEST);
  for (const end of [...ends, other]) await end();
  expect(await held()).toBe(0);
  await send("user 1", LARGEST);
});

test("what was held of a body that was refused as it grew is free for others at once", async () => {
  const { bodies, send, held } = start();
  await bodies.during("user 1", async (hold) => {
    hold(LARGEST / 2);
    for (let n = 0; n < 8; n++) await send("user 1", LARGEST);
    const before = await held();
    expect(() => hold(LARGEST)).toThrow("too much at once");
    expect(await held()).toBe(before - (LARGEST / 2 - 16_384));
    await send("user 1", LARGEST);
  });
});

test("while all callers together have too much under way, who has nothing is served until they have twice as much", async () => {
  const { send } = start();
  for (let n = 0; n < 66; n++) await send(`user ${n}`, LARGEST);
  await expect(send("user 1", LARGEST)).rejects.toMatchObject({ code: "overloaded", retryAfterSeconds: 5 });
  for (let n = 66; n < 131; n++) await send(`user ${n}`, LARGEST);
  await expect(send("user 131", LARGEST)).rejects.toMatchObject({ code: "overloaded" });
});

test("a body in pieces of a byte each takes no more than twice its length", async () => {
  const request = new PassThrough();
  let most = 0;
  const reading = readRawBody(request as never, LARGEST, (bytes) => {
    most = bytes;
  });
  for (let n = 0; n < 10_000; n++) request.write("x");
  request.end();
  expect((await reading).toString()).toBe("x".repeat(10_000));
  expect(most).toBeLessThan(20_000);
});

test("a body that may not be held is read to its end before its caller is told", async () => {
  const request = new PassThrough();
  const reading = readRawBody(request as never, LARGEST, () => {
    throw new Error("full");
  });
  const told = expect(reading).rejects.toThrow("full");
  request.write("some");
  request.end("more");
  await told;
  expect(request.readableEnded).toBe(true);
});

test("a connection whose body is refused goes on, and its next request is answered", async () => {
  const server = createServer((request, response) => {
    readRawBody(request, 10).then(
      () => response.end("taken"),
      () => response.end("refused"),
    );
  });
  const url = await listen(server, 0, "127.0.0.1");
  const caller = await rawCaller(Number(new URL(url).port));
  const chunk = `14\r\n${"x".repeat(20)}\r\n`;
  caller.socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
  caller.socket.write(`${chunk}0\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok`);
  await until(() => caller.heard().includes("taken"));
  expect(caller.heard()).toMatch(/refused[\s\S]*taken/);
  await closeServer(server);
});
