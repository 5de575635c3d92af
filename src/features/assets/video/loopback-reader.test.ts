import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import type { ObjectVersion } from "../../../platform/objects/object-store";
import { until } from "../../../testing/until";
import { serveOnLoopback } from "./loopback-reader";

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));

/** A fake store with one object, whose read from byte 1,000 fails `after` so many bytes. `left`: reads that were destroyed early. */
function storeOf(object: Buffer, after = Number.POSITIVE_INFINITY) {
  const left: number[] = [];
  return {
    left,
    version: { size: object.length, etag: null },
    read: async (_key: string, _version: ObjectVersion, start = 0) => {
      if (start === 1_000 && after === 0) throw new Error("The store is away.");
      const bytes = object.subarray(start);
      let sent = 0;
      const stream = new Readable({
        read() {
          if (start === 1_000 && sent >= after) return void this.destroy(new Error("The store hung up."));
          const chunk = bytes.subarray(sent, sent + 10_000);
          sent += chunk.length;
          this.push(chunk.length > 0 ? chunk : null);
        },
      });
      return stream.once("close", () => stream.readableEnded || left.push(start));
    },
  };
}

const serve = <T>(store: ReturnType<typeof storeOf>, use: (address: string) => Promise<T>) =>
  serveOnLoopback(store, "a video", store.version, use);
const ask = (address: string | URL, range?: string) =>
  fetch(address, { headers: { connection: "close", ...(range && { range }) } });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test("an object is read from any offset on, while `use` runs and no longer", async () => {
  const given = await serve(storeOf(content), async (address) => {
    for (const start of [0, 1_000, 299_999]) {
      const response = await ask(address, `bytes=${start}-`);
      expect(response.status).toBe(206);
      expect(response.headers.get("content-range")).toBe(`bytes ${start}-299999/300000`);
      expect((await bytesOf(response)).equals(content.subarray(start))).toBe(true);
    }
    const beyond = await ask(address, "bytes=300000-");
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */300000"]);
    for (const whole of [undefined, "bytes=5-9", "lines=0-1"]) {
      const response = await ask(address, whole);
      expect([whole, response.status, response.headers.get("content-range")]).toEqual([whole, 200, null]);
      expect((await bytesOf(response)).equals(content)).toBe(true);
    }
    expect((await ask(new URL("/", address))).status).toBe(404);
    return address;
  });
  expect(given).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}$/);
  await expect(ask(given)).rejects.toThrow();
});

test("an empty object is served empty", async () => {
  const sizes = await serve(storeOf(Buffer.alloc(0)), async (address) => {
    const response = await ask(address, "bytes=0-");
    return [response.status, (await bytesOf(response)).length];
  });
  expect(sizes).toEqual([200, 0]);
});

test.each([
  ["at once", 0, "The store is away."],
  ["half-way", 50_000, "The store hung up."],
])(
  "a store that fails %s rejects, also when the reader took the failure for the end",
  async (_when, after, cause) => {
    const reading = serve(storeOf(content, after), async (address) => {
      expect((await bytesOf(await ask(address, "bytes=299900-"))).length).toBe(100);
      await ask(address, "bytes=1000-")
        .then(bytesOf, () => undefined)
        .catch(() => undefined);
      return "packaged";
    });
    await expect(reading).rejects.toMatchObject({
      message: "The store failed while an object was read.",
      cause: { message: cause },
    });
  },
);

test("a client that disconnects before the end is no failure, and the store is not read on", async () => {
  // More than the sockets between hold.
  const store = storeOf(Buffer.alloc(50_000_000));
  const used = serve(store, async (address) => {
    const leaving = new AbortController();
    const response = await fetch(address, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => store.left.length === 1);
    return "used";
  });
  expect(await used).toBe("used");
});

test("a client that disconnects before the store answers leaves no stream of the store open", async () => {
  const store = storeOf(content);
  const events = new EventEmitter();
  const slow = {
    ...store,
    read: async (...what: Parameters<typeof store.read>) => {
      events.emit("asked");
      await once(events, "answer");
      return store.read(...what);
    },
  };
  await serve(slow, async (address) => {
    const { hostname, port, pathname } = new URL(address);
    const reader = connect(Number(port), hostname);
    reader.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(events, "asked");
    reader.resetAndDestroy();
    // The replies to these requests come after the server has noticed the disconnect.
    for (const _ of [1, 2]) await ask(new URL("/", address));
    events.emit("answer");
    await until(() => store.left.length === 1);
  });
});

test("an error of `use` is rejected as it is", async () => {
  const used = serve(storeOf(content), () => Promise.reject(new Error("no video")));
  await expect(used).rejects.toThrow("no video");
});
