import type Router from "@koa/router";
import type { Ipv4 } from "../../domain/ipv4";
import { SOCKETS_PATH } from "../../features/telemetry";
import { docsPage } from "../../http/openapi/docs-page";
import { opsPaths } from "../../http/ops";
import { freePort } from "../../laptop/free-port";
import { startOnboard } from "../../onboard";
import { loadConfig, onboardConfig } from "../../platform/config";
import { atEndOfFile } from "../../testing";
import { type BadCredentials, badCredentials, validTokens } from "../../testing/access/bad-credentials";
import { createUserObjects, TEST_EDGE_SECRET, type UserObjects } from "../../testing/access/user-objects";
import { rawStatuses, upgradeRequest } from "../../testing/raw-http";
import { filesWith } from "../../testing/repository/source-files";
import { REPLICA_ENV, TEST_PEER_SECRET } from "../../testing/worlds/replicas";
import { requestFrom, startEdge, type TestEdge } from "../../testing/worlds/start-edge";
import { startTestGateway, TEST_JWT_SECRET, type TestGateway } from "../../testing/worlds/start-gateway";
import { startTestRelay } from "../../testing/worlds/start-relay";
import { tunnelWorld } from "../../testing/worlds/start-tunnel";
import { SimulatedOs } from "../../tunnel/os/simulated-os";
import { BASE_PATH } from "../app";
import { startWorker } from "../worker/index";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

/** The paths of the router that `docsPage` mounts. */
const descriptions = { "openapi.json": () => ({}), "asyncapi.json": () => ({}), "apispec.json": () => ({}) };
const docsPaths = (docsPage(descriptions, BASE_PATH) as unknown as { router: Router }).router.stack.map(
  ({ path }) => String(path),
);

const TUNNEL_SECRET = "a tunnel secret of enough length";

/**
 * Every file that makes a server, has a router or takes upgrades, and the test that asks it as every false caller. A new
 * file in this list needs an endpoint in this test or a test of its own.
 */
const servers: Readonly<Record<string, string>> = {
  "src/features/assets/video/loopback-reader.ts": "assets/loopback-reader",
  "src/features/telemetry/sockets/telemetry-sockets.ts": "access/sockets",
  "src/gateway/index.ts": "access/routes",
  "src/gateway/replicas/index.ts": "here",
  "src/gateway/worker/index.ts": "here",
  "src/http/mount.ts": "access/routes",
  "src/http/openapi/docs-page.ts": "here",
  "src/http/ops.ts": "here",
  "src/onboard/index.ts": "here",
  "src/relay/index.ts": "here",
  "src/relay/upgrades.ts": "access/sockets",
  "src/tunnel/edge/edge.ts": "access/edge, and here",
  "src/tunnel/index.ts": "access/sockets",
  "src/tunnel/jumphost/jumphost.ts": "access/sockets, and here",
};

const filesIn = (pattern: RegExp, but: RegExp) => filesWith(pattern, but).map((file) => `src/${file}`);

test("every file that opens a server is listed", () => {
  const opens =
    /new Router\(|limitedServer\(\s*[^)\s]|\.on\("upgrade"|new (WebSocket)?Server\(\{|\bcreate(Secure)?Server\b|\bcreateSocket\b|[\w)]\.listen\((?!\))/;
  const others =
    /\.contract\.ts$|^(laptop|simvehicle)\/|^http\/server\/limited-server\.ts$|^platform\/process\/open-port\.ts$/;
  expect(filesIn(opens, others)).toEqual(Object.keys(servers));
});

test("the files that write replies are listed, and no file registers several routes by hand", () => {
  const others = /\.contract\.ts$|^(laptop|simvehicle)\//;
  expect(filesIn(/\bctx\.body = |\.writeHead\(/, others)).toEqual([
    "src/features/assets/assets.routes.ts",
    "src/features/assets/video/loopback-reader.ts",
    "src/features/executions/executions.routes.ts",
    "src/features/plan-files/plan-files.routes.ts",
    "src/features/provisioning/provisioning.routes.ts",
    "src/features/telemetry/sockets/refuse-connections.ts",
    "src/http/console-pages.ts",
    "src/http/error-boundary.ts",
    "src/http/map-file.ts",
    "src/http/mount.ts",
    "src/http/openapi/docs-page.ts",
    "src/http/ops.ts",
    "src/relay/app.ts",
    "src/tunnel/edge/forward.ts",
    "src/tunnel/edge/gateway-proxy.ts",
    "src/tunnel/edge/objects-proxy.ts",
    "src/tunnel/jumphost/jumphost.ts",
    "src/vehicle/cluster/replica-server.ts",
  ]);
  expect(filesIn(/router\.(get|post|put|patch|delete|all)\([\s\S]*router\.\w+\([^)]/, others)).toEqual([]);
});

interface Endpoint {
  readonly at: string;
  readonly path: string;
  readonly method?: "GET" | "POST";
}

describe.each(["contract", "strict"] as const)("in the %s profile", (profile) => {
  let gateway: TestGateway;
  let own: UserObjects;
  let bad: BadCredentials;
  /** The URL of each process, by its name. */
  let at: Readonly<Record<string, string>>;
  let edge: TestEdge;

  beforeAll(async () => {
    const peerPort = await freePort();
    gateway = await startTestGateway({
      ...REPLICA_ENV,
      GATEWAY_PEER_PORT: String(peerPort),
      ACCESS_PROFILE: profile,
      EDGE_SECRET: TEST_EDGE_SECRET,
      LINK_CONNECT_TIMEOUT_MS: "50",
    });
    own = await createUserObjects(gateway);
    const { access, refresh, reset } = validTokens(gateway, own.user);
    bad = {
      ...(await badCredentials(gateway, own.user, own.roomToken)),
      "a user": access,
      "a refresh token": refresh,
      "a reset token": reset,
      "a drone": { "x-drone-ip": own.ip, "x-real-ip": own.ip, "x-forwarded-for": own.ip },
      "the edge's secret": { "x-edge-secret": TEST_EDGE_SECRET, "x-drone-ip": own.ip },
    };
    const relay = await startTestRelay({ ACCESS_PROFILE: profile }, gateway);
    const world = await tunnelWorld();
    const tunnel = await world.start(
      { os: new SimulatedOs(), dataplane: "auto" },
      { ACCESS_PROFILE: profile, TUNNEL_API_SECRET: TUNNEL_SECRET, EDGE_SECRET: TEST_EDGE_SECRET },
    );
    const worker = await startWorker({ ...gateway.deps.config, WORKER_PORT: 0 });
    atEndOfFile(() => worker.lifecycle.stop("the tests are over"));
    const onboard = await startOnboard(
      loadConfig(onboardConfig, {
        ...{ DRONE_IP: own.ip, REDIS_URL: gateway.redisUrl, ONBOARD_PORT: "0" },
        ...{ ONBOARD_VEHICLE: "127.0.0.1:1", LOG_LEVEL: "silent" },
      }),
    );
    atEndOfFile(() => onboard.lifecycle.stop("the tests are over"));
    edge = await startEdge(["127.0.9.2"], {
      gateway: { port: 0, url: gateway.droneUrl ?? gateway.url, secret: TEST_EDGE_SECRET },
    });
    at = {
      gateway: gateway.url,
      relay: relay.url,
      tunnel: tunnel.url,
      worker: worker.url,
      onboard: onboard.url,
      peers: `http://127.0.0.1:${peerPort}`,
      jumphost: tunnel.jumphostUrl.replace("ws", "http"),
    };
  });

  const ask = async (
    { at: name, path, method = "GET" }: Endpoint,
    headers: Readonly<Record<string, string>>,
  ) => {
    const reply = await fetch(`${at[name]}${path}`, { method, headers, redirect: "manual" });
    return { status: reply.status, text: await reply.text() };
  };

  /** The body is not read: some are a megabyte. */
  const statusOf = async (
    { at: name, path, method = "GET" }: Endpoint,
    headers: Readonly<Record<string, string>>,
  ) => {
    const reply = await fetch(`${at[name]}${path}`, { method, headers, redirect: "manual" });
    await reply.body?.cancel();
    return reply.status;
  };

  const open = (): Endpoint[] => [
    ...["gateway", "relay", "tunnel", "worker", "onboard"].flatMap((name) =>
      opsPaths.map((path) => ({ at: name, path })),
    ),
    ...docsPaths.map((path) => ({ at: "gateway", path })),
  ];

  /** No open endpoint may show any of these. */
  const secrets = () => [
    ...[TEST_JWT_SECRET, TEST_EDGE_SECRET, TEST_PEER_SECRET, TUNNEL_SECRET, own.roomToken],
    ...[own.user.username, own.user.token, own.user.ip, own.ip, gateway.databaseUrl, gateway.redisUrl],
  ];

  test("an open endpoint answers every caller with the same status, and shows no secret", async () => {
    expect(open().length).toBeGreaterThan(20);
    for (const endpoint of open()) {
      const plain = await ask(endpoint, {});
      expect([endpoint, plain.status]).toEqual([endpoint, endpoint.path === "/api/docs" ? 302 : 200]);
      expect([endpoint, secrets().filter((secret) => plain.text.includes(secret))]).toEqual([endpoint, []]);
      const others = await Promise.all(
        Object.entries(bad).map(async ([kind, headers]) => [kind, await statusOf(endpoint, headers)]),
      );
      expect([endpoint, others]).toEqual([endpoint, Object.keys(bad).map((kind) => [kind, plain.status])]);
    }
  });

  test("an open endpoint answers POST with 404 or 405", async () => {
    for (const endpoint of open()) {
      const { status } = await ask({ ...endpoint, method: "POST" }, {});
      expect([endpoint, [404, 405].includes(status), status]).toEqual([endpoint, true, status]);
    }
  });

  test("the port between replicas answers 401 without the shared secret", async () => {
    for (const path of ["/", ...opsPaths])
      for (const method of ["GET", "POST"] as const) {
        const endpoint = { at: "peers", path, method };
        for (const [kind, headers] of Object.entries(bad))
          expect([endpoint, kind, (await ask(endpoint, headers)).status]).toEqual([endpoint, kind, 401]);
        expect((await ask(endpoint, { authorization: `Bearer ${TEST_PEER_SECRET}` })).status).toBe(400);
      }
  });

  test("the jumphost answers a request without an upgrade with 426", async () => {
    for (const path of ["/", ...opsPaths, "/10.71.0.2/5001"])
      for (const headers of [...Object.values(bad), { authorization: `Bearer ${TUNNEL_SECRET}` }])
        expect((await ask({ at: "jumphost", path }, headers)).status).toBe(426);
  });

  test("no process accepts an upgrade at a path without a WebSocket", async () => {
    for (const name of ["gateway", "relay", "tunnel", "worker", "onboard", "peers"]) {
      const port = Number(new URL(at[name] ?? "").port);
      const paths = [...opsPaths, "/", "/redispad", "/socket.io", `${SOCKETS_PATH}../x`];
      const taken = await Promise.all(
        paths.map(async (path) => {
          const statuses = await rawStatuses(
            port,
            upgradeRequest(path, "Authorization: Bearer none\r\n"),
            300,
          );
          return statuses.includes(101) ? [path] : [];
        }),
      );
      expect([name, taken.flat()]).toEqual([name, []]);
    }
  });

  test("the edge answers 403 to clients that are not drones, and forwards drones to drone routes only", async () => {
    const url = edge.edge.url("gateway") ?? "";
    for (const { path } of open())
      for (const headers of Object.values(bad))
        expect([path, (await requestFrom("127.0.9.9", `${url}${path}`, { headers })).status]).toEqual([
          path,
          403,
        ]);
    expect(edge.live.get("127.0.9.2")).toEqual({ ip: "127.0.9.2" as Ipv4, keyId: "key-0" });
    if (profile === "strict")
      for (const { path } of open())
        expect([path, (await requestFrom("127.0.9.2", `${url}${path}`)).status]).toEqual([path, 404]);
  });

  if (profile === "strict")
    test("the drone-only port answers 404 on every open endpoint", async () => {
      for (const { path } of open()) {
        const { status } = await fetch(`${gateway.droneUrl}${path}`, { redirect: "manual" });
        expect([path, status]).toEqual([path, 404]);
      }
    });
});
