import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import SwaggerParser from "@apidevtools/swagger-parser";
import Koa from "koa";
import { createLogger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { freshDatabase } from "../testing";
import { interruptibleLink } from "../testing/worlds/interruptible-link";
import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";
import { errorBoundary } from "./error-boundary";
import { mountRoutes } from "./mount";
import { observeRequests } from "./observe";
import type { Guards } from "./route-guards";
import { closeServer, listen } from "./server/listen";

let gateway: TestGateway;
let signedIn: TestGateway["api"];
beforeAll(async () => {
  gateway = await startTestGateway({ TRUSTED_PROXIES: "loopback" });
  signedIn = (await gateway.newUser()).api;
});

describe("every route names its guard", () => {
  /** Adding a route here is a decision: it can be called without an access token. */
  const open = [
    "POST /login",
    "POST /verify-email",
    "POST /reset-password",
    "GET /drone/setup",
    "GET /billing/pricing",
    "GET /executions/archive-key",
    "GET /report-emails/confirm/:token",
  ];
  const byOwnToken = [
    "POST /register/:token",
    "POST /activate/:user_id/:token",
    "POST /billing/webhook",
    "POST /report-emails/confirm/:token",
    "GET /drone/activate",
  ];
  const named = (guard: string) =>
    gateway.features.routes
      .filter((route) => route.guard === guard)
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);

  test("the public routes are exactly these", () => expect(named("public").sort()).toEqual(open.sort()));
  test("the routes with a token of their own are exactly these", () =>
    expect(named("token").sort()).toEqual(byOwnToken.sort()));
  test("every other route refuses a caller without a token", async () => {
    const guarded = gateway.features.routes.filter(({ guard }) => !["public", "token"].includes(guard));
    expect(guarded.length).toBeGreaterThan(20);
    for (const { method, path, errors } of guarded) {
      const status = errors?.unauthenticated ?? 401;
      const reply = await gateway.api.send(method.toUpperCase(), path.replaceAll(/:[^/]+/g, "1"));
      expect({ method, path, status: reply.status }).toEqual({ method, path, status });
    }
  });
});

test("an IPv4 client of a dual-stack port is known by its IPv4 address", async () => {
  const app = new Koa().use(observeRequests(createLogger("test", "silent"), createMetrics("test"), []));
  app.use((ctx) => {
    ctx.body = ctx.state.address;
  });
  const server = createServer(app.callback());
  const { port } = new URL(await listen(server, 0, "::"));
  const addresses = await Promise.all(
    ["127.0.0.1", "[::1]"].map(async (host) => (await fetch(`http://${host}:${port}`)).text()),
  );
  await closeServer(server);
  expect(addresses).toEqual(["127.0.0.1", "::1"]);
});

describe("bad requests", () => {
  const cases: [string, () => Promise<{ status: number; body: unknown }>, number][] = [
    ["malformed JSON", () => gateway.api.post("/login", '{"username": '), 400],
    ["a JSON primitive", () => gateway.api.post("/login", '"hello"'), 400],
    [
      "a body over the limit",
      () => gateway.api.post("/login", { username: "x".repeat(70_000), password: "y" }),
      413,
    ],
    [
      "a body of another type",
      () => gateway.api.with({ "content-type": "text/xml" }).post("/login", "<a/>"),
      415,
    ],
    ["no body at all", () => gateway.api.post("/login"), 400],
    [
      "a compressed body",
      () => gateway.api.with({ "content-encoding": "br" }).post("/login", { username: "a", password: "b" }),
      415,
    ],
    [
      "a text that cannot be stored",
      () => gateway.api.post("/login", { username: "a\u0000b@example.com", password: "whatever" }),
      400,
    ],
    ["an unknown path", () => gateway.api.get("/no/such/path"), 404],
    ["another method", () => gateway.api.put("/login", {}), 405],
    ["an id that is not a number", () => gateway.api.post("/activate/me/token"), 404],
    ["an id beyond every row", () => gateway.api.post("/activate/99999999999/token"), 404],
  ];
  test.each(cases)("%s gets a clear error and no stack", async (_name, ask, status) => {
    const reply = await ask();
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ error: expect.stringMatching(/^.{8,200}$/) });
    expect(JSON.stringify(reply.body)).not.toMatch(/node_modules|\.[jt]s\b| at .*:\d/);
  });

  test("an error message names each invalid field and what it must be", async () => {
    const errorOf = async (path: string, body: unknown) =>
      JSON.stringify((await gateway.api.post(path, body)).body);
    expect(await errorOf("/login", { password: [] })).toContain(
      "username: is required; password: must be a string",
    );
    const token = gateway.features.account.tokens.verification("new@example.com");
    expect(await errorOf(`/register/${token}`, { password: "x" })).toContain(
      "must have at least 8 characters",
    );
    expect(await errorOf("/verify-email", { email: "x" })).toContain("must be a valid email");
  });

  test("a route of envelope A returns its errors in envelope A", async () => {
    const reply = await gateway.api.post("/verify-email", "{");
    expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
  });

  test("a 405 names the allowed methods", async () => {
    expect((await gateway.api.put("/login", {})).headers.get("allow")).toBe("POST");
  });
});

test("a gateway whose console is off answers 404 in place of its page", async () => {
  for (const path of ["/", "/sign-in", "/assets/index.js"]) {
    const reply = await fetch(`${gateway.url}${path}`);
    expect([reply.status, await reply.json()]).toEqual([404, { error: "There is nothing at this path." }]);
  }
});

describe("the description", () => {
  test("is valid Swagger 2.0, public, and the same below the base path", async () => {
    const reply = await fetch(`${gateway.url}/apispec.json`);
    const document = JSON.parse(await reply.text());
    expect(document.swagger).toBe("2.0");
    await expect(SwaggerParser.validate(structuredClone(document))).resolves.toBeDefined();
    expect((await gateway.api.get("/apispec.json")).body).toEqual(document);
  });

  test("has an operation for every declared route, with its success status", async () => {
    const { paths } = (await gateway.api.get("/apispec.json")).body;
    for (const { method, path, success } of gateway.features.routes) {
      const operation = paths[path.replaceAll(/:([^/]+)/g, "{$1}")][method];
      expect(Object.keys(operation.responses)).toContain(String(success.status));
    }
  });

  test("documents 429 with Retry-After for every operation", async () => {
    const { paths } = (await gateway.api.get("/apispec.json")).body;
    for (const { method, path } of gateway.features.routes) {
      const { responses } = paths[path.replaceAll(/:([^/]+)/g, "{$1}")][method];
      expect({ path, header: responses[429]?.headers?.["Retry-After"] }).toMatchObject({
        path,
        header: { type: "integer" },
      });
    }
  });

  test("is shown by a page that loads nothing from other hosts", async () => {
    const page = await (await fetch(`${gateway.url}/api/docs/`)).text();
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = ""]) => reference);
    expect(references.length).toBeGreaterThan(2);
    for (const reference of references) {
      expect((await fetch(new URL(reference, `${gateway.url}/api/docs/`))).status).toBe(200);
      expect(reference).not.toContain("//");
    }
  });
});

describe("every service's own paths", () => {
  test("readiness shows the dependencies", async () => {
    const reply = await fetch(`${gateway.url}/readyz`);
    expect(reply.status).toBe(200);
    const dependencies = { postgres: "up", redis: "up", objects: "up" };
    expect(await reply.json()).toEqual({ status: "ready", dependencies });
  });

  test("metrics count requests by route and status", async () => {
    await signedIn.get("/auth");
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(text).toMatch(
      /fleet_http_requests_total\{method="GET",route="\/auth",status="200",process="gateway"\} [1-9]/,
    );
    expect(text).toContain("fleet_db_pool_connections");
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
  });

  test("a request keeps its caller's id when it is usable, and gets one otherwise", async () => {
    const ask = async (id: string) =>
      (await signedIn.with({ "x-request-id": id }).get("/auth")).headers.get("x-request-id");
    expect(await ask("trace-42")).toBe("trace-42");
    expect(await ask("x".repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("replies carry the headers that browsers are protected by", async () => {
    const { headers } = await signedIn.get("/auth");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'self'");
  });
});

test("an unavailable database gives a clear error, and the gateway serves again when it is back", async () => {
  const link = await interruptibleLink((await freshDatabase()).url);
  const cut = await startTestGateway({ DATABASE_URL: link.url });
  const user = await cut.newUser();
  link.cut();
  const down = await user.api.get("/user");
  expect(down).toMatchObject({
    status: 500,
    body: { error: { message: expect.stringContaining("database") } },
  });
  const ready = await fetch(`${cut.url}/readyz`);
  expect([ready.status, (await ready.json()) as object]).toMatchObject([
    200,
    { dependencies: { postgres: "down" } },
  ]);
  link.mend();
  expect((await user.api.get("/user")).status).toBe(200);
});

test("a request's line carries no token of its path, matched or not", async () => {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const app = new Koa();
  app.use(observeRequests(createLogger("test", "info", sink), createMetrics("test"), []));
  const declared = gateway.features.routes.filter(({ path }) => path.includes(":token"));
  const open = { public: () => undefined, token: () => undefined } as unknown as Guards;
  app.use(errorBoundary(declared, "/api/v1"));
  app.use(mountRoutes(declared, { basePath: "/api/v1", guards: open, bodyLimitBytes: 100 }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  await fetch(`${api}/activate/7/tell-nobody`, { method: "POST" });
  await fetch(`${api}/activate/7/tell-nobody/twice?token=tell-nobody`);
  await fetch(`${api}/register/tell-nobody`);
  await fetch(`${api.replace("/api/v1", "")}/activate/tell-nobody`);
  server.close();
  await once(server, "close");
  expect(lines).toHaveLength(4);
  expect(lines.join("")).not.toContain("tell-nobody");
  expect(JSON.parse(lines[0] as string)).toMatchObject({ method: "POST", path: "/activate/:user_id/:token" });
});
