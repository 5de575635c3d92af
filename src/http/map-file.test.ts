import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import Koa from "koa";
import { atEndOfFile, freshFolder } from "../testing";
import { errorBoundary } from "./error-boundary";
import { mapFile, partOfFile } from "./map-file";
import { closeServer, listen } from "./server/listen";

/** Larger than the longest part of a reply. */
const bytes = Buffer.alloc(9 * 2 ** 20, "0123456789");

let url: string;
let path: string;
beforeAll(async () => {
  path = join(freshFolder("map"), "region.pmtiles");
  writeFileSync(path, bytes);
  url = await serve(path);
});

async function serve(file: string): Promise<string> {
  const app = new Koa().use(errorBoundary([], "/api/v1")).use(mapFile(partOfFile(file)));
  const server = createServer(app.callback());
  atEndOfFile(() => closeServer(server));
  return `${await listen(server, 0, "127.0.0.1")}/assets/map.pmtiles`;
}

const ask = (range: string | undefined, method = "GET") =>
  fetch(url, { method, headers: range === undefined ? {} : { range } });

test.each([
  ["bytes=0-9", 0, 10],
  ["bytes=11-11", 11, 12],
  [`bytes=${bytes.length - 4}-${bytes.length + 100}`, bytes.length - 4, bytes.length],
  [`bytes=${bytes.length - 4}-`, bytes.length - 4, bytes.length],
  // No reply is longer than 8 MiB.
  ["bytes=3-", 3, 3 + 8 * 2 ** 20],
])("%s is answered with these bytes", async (range, start, end) => {
  const reply = await ask(range);
  expect(reply.status).toBe(206);
  expect(reply.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
  expect(reply.headers.get("etag")).toMatch(/^"[0-9a-f]+-[0-9a-f.]+"$/);
  expect(Buffer.from(await reply.arrayBuffer()).equals(bytes.subarray(start, end))).toBe(true);
});

test("HEAD has the headers and no body", async () => {
  const reply = await ask("bytes=0-9", "HEAD");
  expect([reply.status, reply.headers.get("content-length"), await reply.text()]).toEqual([206, "10", ""]);
});

test.each([undefined, "bytes=0-1,5-6", "bytes=-5", "bytes=x", `bytes=${bytes.length}-`, "bytes=9-3"])(
  "%s is no range of the file: 416",
  async (range) => {
    const reply = await ask(range);
    expect([reply.status, await reply.json()]).toEqual([416, { error: expect.any(String) }]);
  },
);

test("a missing file is answered 404, and is served when it is there", async () => {
  const late = join(freshFolder("map"), "late.pmtiles");
  const address = await serve(late);
  const first = () => fetch(address, { headers: { range: "bytes=0-3" } });
  expect((await first()).status).toBe(404);
  writeFileSync(late, "a map");
  expect(await (await first()).text()).toBe("a ma");
});

test("another path and another method pass on", async () => {
  expect((await fetch(`${url}x`, { headers: { range: "bytes=0-9" } })).status).toBe(404);
  expect((await ask("bytes=0-9", "POST")).status).toBe(404);
});
