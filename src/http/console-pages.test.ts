import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import Koa from "koa";
import { atEndOfFile, freshFolder } from "../testing";
import { rawClient } from "../testing/raw-http";
import { consolePages } from "./console-pages";
import { errorBoundary } from "./error-boundary";
import { securityHeaders } from "./security-headers";
import { closeServer, listen } from "./server/listen";

const PAGE = '<!doctype html><meta name="settings" content="" /><title>Console</title>';
const SETTINGS = { relayOrigin: `wss://relay.example.com/"><script>&`, registration: false };
const SERVED = PAGE.replace(
  'content=""',
  'content="{&quot;relayOrigin&quot;:&quot;wss://relay.example.com/\\&quot;><script>&amp;&quot;,&quot;registration&quot;:false}"',
);
const SCRIPT = "document.title = 'The console runs';".repeat(50);
const RELAY = "wss://relay.example.com";
const OBJECTS = "https://objects.example.com";

/** What the console's build writes, beside a file that nobody may read. */
function builtConsole(): string {
  const parent = freshFolder("console");
  writeFileSync(join(parent, "secret.txt"), "the secret");
  const folder = join(parent, "console");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), PAGE);
  const script = join(folder, "assets", "index-Bx4d.js");
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  return folder;
}

async function serve(folder: string): Promise<{ url: string; warnings: unknown[] }> {
  const warnings: unknown[] = [];
  const app = new Koa().use(securityHeaders).use(errorBoundary([], "/api/v1"));
  app.use(
    consolePages({
      folder,
      connectTo: [RELAY],
      objectsFrom: OBJECTS,
      settings: SETTINGS,
      log: { warn: (...told: unknown[]) => warnings.push(told) },
    }),
  );
  const server = createServer(app.callback());
  atEndOfFile(() => closeServer(server));
  return { url: await listen(server, 0, "127.0.0.1"), warnings };
}

let url: string;
beforeAll(async () => {
  ({ url } = await serve(builtConsole()));
});

/** Without `Accept-Encoding` of fetch's own. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${url}${path}`, { method, headers: { "accept-encoding": "identity", ...headers } });

test.each([
  "/",
  "/index.html",
  "/sign-in",
  "/activate/7/token.of.three",
  "/reset-password?token=x",
  "/drones/1/",
])("%s is answered with the page, which no cache keeps without asking", async (path) => {
  const reply = await ask(path);
  expect([reply.status, await reply.text()]).toEqual([200, SERVED]);
  expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(reply.headers.get("cache-control")).toBe("no-cache");
});

test("a file with a hash in its name is kept by caches for a year", async () => {
  const reply = await ask("/assets/index-Bx4d.js");
  expect([reply.status, await reply.text()]).toEqual([200, SCRIPT]);
  expect(reply.headers.get("content-type")).toMatch(/^(text|application)\/javascript/);
  expect(reply.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
});

test("the policy admits nothing but the gateway, the configured relay and the object store", async () => {
  const policy = (await ask("/")).headers.get("content-security-policy");
  expect(policy?.split("; ")).toEqual([
    "default-src 'self'",
    `img-src 'self' data: blob: ${OBJECTS}`,
    `media-src 'self' blob: ${OBJECTS}`,
    `connect-src 'self' ${RELAY} ${OBJECTS}`,
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]);
  const script = await ask("/assets/index-Bx4d.js");
  expect(script.headers.get("content-security-policy")).toBe(policy);
  expect(script.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each([
  ["gzip, deflate, br, zstd", "br", brotliCompressSync(SCRIPT).length],
  ["gzip", "gzip", gzipSync(SCRIPT).length],
  ["br;q=0, gzip", "gzip", gzipSync(SCRIPT).length],
  ["identity", null, SCRIPT.length],
  ["zstd", null, SCRIPT.length],
])("a client that accepts %s gets the encoding %s", async (accepted, encoding, length) => {
  const reply = await ask("/assets/index-Bx4d.js", { "accept-encoding": accepted });
  expect(reply.headers.get("content-encoding")).toBe(encoding);
  expect(Number(reply.headers.get("content-length"))).toBe(length);
  expect(reply.headers.get("vary")).toContain("Accept-Encoding");
  expect(await reply.text()).toBe(SCRIPT);
});

test("a client that has the file in this encoding gets 304 and no body", async () => {
  // fetch would ask for no cache's answer.
  const cached = { "cache-control": "max-age=0" };
  const br = { ...cached, "accept-encoding": "br" };
  const etag = (await ask("/assets/index-Bx4d.js", br)).headers.get("etag") as string;
  const again = await ask("/assets/index-Bx4d.js", { ...br, "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect(again.headers.get("etag")).toBe(etag);
  const other = await ask("/assets/index-Bx4d.js", { ...cached, "if-none-match": etag });
  expect([other.status, other.headers.get("etag") === etag]).toEqual([200, false]);
});

test("HEAD has the headers of GET and no body", async () => {
  const [get, head] = await Promise.all([ask("/"), ask("/", {}, "HEAD")]);
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of ["content-type", "content-length", "etag", "cache-control", "content-security-policy"])
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
});

test.each([
  "/api",
  "/api/v1/nothing",
  "/api/docs/nothing",
  "/socket.io",
  "/socket.io/nothing",
  "/metrics/x",
  "/healthz",
  "/assets/index-Old1.js",
])("%s is no page: it is answered 404 in the API's form", async (path) => {
  const reply = await ask(path);
  expect([reply.status, await reply.json()]).toEqual([404, { error: "There is nothing at this path." }]);
});

test.each(["POST", "PUT", "DELETE"])("%s of a page is answered 404", async (method) => {
  expect((await ask("/sign-in", {}, method)).status).toBe(404);
});

test.each([
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/..%2f..%2fsecret.txt",
  "/assets/../../secret.txt",
  "//../secret.txt",
  "/..\\secret.txt",
  "/%00",
  "/%",
])("%s reads no file outside of the console", async (path) => {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const client = await rawClient(Number(new URL(url).port), request);
  await client.closed;
  const reply = client.received();
  expect(reply).toMatch(/^HTTP\/1\.1 (200|404) /);
  expect(reply).not.toContain("the secret");
});

test("without a build every path is answered 404, and a warning names the folder and the command", async () => {
  const folder = join(freshFolder("empty"), "console");
  const { url: bare, warnings } = await serve(folder);
  expect((await fetch(`${bare}/`)).status).toBe(404);
  expect(warnings).toEqual([[{ folder }, expect.stringContaining("npm run build")]]);
});
