import { atEndOfFile } from "../../testing";
import { TEST_EDGE_SECRET } from "../../testing/access/user-objects";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { startTestRelay } from "../../testing/worlds/start-relay";
import { tunnelWorld } from "../../testing/worlds/start-tunnel";
import { SimulatedOs } from "../../tunnel/os/simulated-os";
import { startWorker } from "../worker/index";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

const CLIENT = "https://fly.example.com";

let gateway: TestGateway;
let token: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    ACCESS_PROFILE: "strict",
    EDGE_SECRET: TEST_EDGE_SECRET,
    CORS_ORIGINS: `${CLIENT}, https://other.example.com`,
  });
  ({ token } = await gateway.newUser());
});

type Asked = [what: string, url: string, init?: RequestInit];

/** Those that a page needs come beside them where a page may be shown. */
async function unprotected(asked: readonly Asked[]): Promise<string[]> {
  const replies = await Promise.all(
    asked.map(async ([what, url, init]) => ({
      what,
      reply: await fetch(url, { redirect: "manual", ...init }),
    })),
  );
  return replies.flatMap(({ what, reply: { status, headers } }) => {
    const lacks = [
      headers.get("x-content-type-options") === "nosniff" ? [] : ["nosniff"],
      headers.get("x-frame-options") === "SAMEORIGIN" ? [] : ["framing"],
      headers.get("referrer-policy") === "no-referrer" ? [] : ["referrer"],
      headers.has("x-powered-by") || headers.has("server") ? ["tells its make"] : [],
    ].flat();
    return lacks.map((lack) => `${what} (${status}): ${lack}`);
  });
}

test("every kind of reply of the gateway has the security headers, on both ports", async () => {
  const { url, droneUrl } = gateway;
  const api = `${url}/api/v1`;
  const json = { "content-type": "application/json" };
  const asked: Asked[] = [
    ["a success", `${api}/billing/pricing`],
    ["no token", `${api}/user`],
    ["an unknown path", `${api}/no/such`],
    ["outside the API", `${url}/nothing`],
    ["another method", `${api}/login`, { method: "PUT" }],
    ["an unknown method", `${api}/login`, { method: "PROPFIND" }],
    ["the options", `${api}/login`, { method: "OPTIONS" }],
    ["no JSON", `${api}/login`, { method: "POST", body: "{", headers: json }],
    ["a body too large", `${api}/login`, { method: "POST", body: "x".repeat(70_000), headers: json }],
    ["a raw body", `${api}/assets/1/video/1`, { headers: { authorization: `Bearer ${token}` } }],
    ["a redirection", `${url}/api/docs`],
    ["the page", `${url}/api/docs/`],
    ["the description", `${url}/openapi.json`],
    ["health", `${url}/healthz`],
    ["readiness", `${url}/readyz`],
    ["metrics", `${url}/metrics`],
    ["a Socket.IO handshake", `${url}/socket.io/?EIO=4&transport=polling`],
    ["an unknown Socket.IO session", `${url}/socket.io/?EIO=4&transport=polling&sid=none`],
    ["an unknown Socket.IO transport", `${url}/socket.io/?EIO=4&transport=pigeon`],
    ["the drones' port", `${droneUrl}/api/v1/executions/current`],
    ["nothing of the drones' port", `${droneUrl}/healthz`],
  ];
  expect(await unprotected(asked)).toEqual([]);
});

test("every reply of the API has Cache-Control: no-store", async () => {
  const { username, password } = await gateway.newUser();
  const answers = await Promise.all([
    gateway.api.post("/login", { username, password }),
    gateway.api.post("/login", { username, password: "wrong" }),
    gateway.api.as(token).get("/user"),
    gateway.api.get("/billing/pricing"),
  ]);
  expect(answers.map(({ status, headers }) => [status, headers.get("cache-control")])).toEqual(
    [200, 401, 200, 200].map((status) => [status, "no-store"]),
  );
});

test("replies of the relay, the tunnel service and the worker have the security headers", async () => {
  const relay = await startTestRelay({}, gateway);
  const world = await tunnelWorld();
  const tunnel = await world.start({ os: new SimulatedOs(), dataplane: "auto" });
  const worker = await startWorker({ ...gateway.deps.config, WORKER_PORT: 0 });
  atEndOfFile(() => worker.lifecycle.stop("the tests are over"));
  const asked = [relay.url, tunnel.url, worker.url].flatMap((url): Asked[] =>
    ["healthz", "metrics", "nothing", "drone/1", "version"].map((path) => [
      `${url}/${path}`,
      `${url}/${path}`,
    ]),
  );
  expect(await unprotected(asked)).toEqual([]);
});

describe("a page of another origin", () => {
  const preflight = (origin: string, method = "PATCH") =>
    fetch(`${gateway.url}/api/v1/mission/1/points`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization, content-type",
      },
    });

  test("that CORS_ORIGINS names may send requests and read replies, errors included", async () => {
    const { status, headers } = await preflight(CLIENT);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(CLIENT);
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(headers.get("access-control-allow-headers")).toBe("authorization, content-type");
    expect(headers.get("access-control-max-age")).toBe("600");
    expect(headers.get("vary")).toMatch(/origin/i);
    for (const path of ["billing/pricing", "user", "nothing"]) {
      const reply = await fetch(`${gateway.url}/api/v1/${path}`, { headers: { origin: CLIENT } });
      expect(reply.headers.get("access-control-allow-origin")).toBe(CLIENT);
      expect(reply.headers.get("access-control-expose-headers")).toBe(
        "X-Request-Id,Retry-After,Content-Disposition,X-Left-Out,X-Outcome,ETag",
      );
    }
  });

  test.each(["https://evil.example.com", "null", `${CLIENT}.evil.example.com`, "http://fly.example.com"])(
    "that CORS_ORIGINS does not name gets no Access-Control-Allow-Origin: %s",
    async (origin) => {
      for (const reply of [
        await preflight(origin),
        await fetch(`${gateway.url}/api/v1/billing/pricing`, { headers: { origin } }),
        await fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } }),
      ]) {
        expect(reply.headers.get("access-control-allow-origin")).not.toBe(origin);
        expect(reply.headers.get("access-control-allow-origin")).not.toBe("*");
      }
    },
  );

  test("is refused without CORS_ORIGINS, and allowed with CORS_ORIGINS=*", async () => {
    const closed = await startTestGateway();
    const open = await startTestGateway({ CORS_ORIGINS: "*" });
    const ask = async ({ url }: TestGateway) =>
      (await fetch(`${url}/api/v1/billing/pricing`, { headers: { origin: CLIENT } })).headers;
    expect((await ask(closed)).has("access-control-allow-origin")).toBe(false);
    expect((await ask(open)).get("access-control-allow-origin")).toBe(CLIENT);
    expect((await ask(open)).has("access-control-allow-credentials")).toBe(false);
  });
});
