import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Ipv4 } from "../../domain/ipv4";
import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import {
  connectFrom,
  type EdgeReply,
  requestFrom,
  startEdge,
  type TestEdge,
} from "../../testing/worlds/start-edge";

const DRONE = "127.0.9.2";
const OTHER = "127.0.9.9";
const SECRET = "what only the edge knows";

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: string[];
  readonly body: string;
}

/** A server in the gateway's place, which records its requests. */
async function upstream(
  answer: (request: IncomingMessage, reply: ServerResponse, body: string) => void = (_request, reply) =>
    void reply.end('{"ok":true}'),
) {
  const seen: ReceivedRequest[] = [];
  const server = createServer(async (request, reply) => {
    let body = "";
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      return;
    }
    const { method, url, headers, rawHeaders } = request;
    seen.push({ method, url, headers, rawHeaders, body });
    answer(request, reply, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

const edgeTo = (url: string | undefined, options: Parameters<typeof startEdge>[1] = {}) =>
  startEdge([DRONE], { gateway: { port: 0, url, secret: SECRET }, ...options });
const at = ({ edge }: TestEdge, path = "/api/v1/executions/current") => `${edge.url("gateway")}${path}`;
const faultOf = ({ status, text }: EdgeReply) => ({ status, body: JSON.parse(text) });

test("a drone's request reaches the gateway with its true address, whatever its headers claim", async () => {
  const { url, seen } = await upstream();
  const edge = await edgeTo(url);
  const forged = ["10.71.0.9", "10.71.0.8"];
  const reply = await requestFrom(DRONE, at(edge, "/api/v1/executions/start?a=%20b"), {
    method: "POST",
    headers: {
      "x-DRONE-ip": forged,
      "X-Real-IP": forged,
      "X-Forwarded-For": forged,
      "x-forwarded-host": "evil",
      Forwarded: "for=10.71.0.9",
      "X-Edge-Secret": ["guess", SECRET],
      X_Drone_IP: "10.71.0.9",
      X_Edge_Secret: SECRET,
      Connection: "close, X-Drone-IP, X-Nominated",
      "X-Nominated": "of this connection",
      "X-Kept": "yes",
      Authorization: "Bearer of the drone",
      "Content-Type": "application/json",
    },
    body: '{"mission_id":7}',
  });
  expect(reply).toMatchObject({ status: 200, text: '{"ok":true}' });
  const [request] = seen;
  expect(request).toMatchObject({
    method: "POST",
    url: "/api/v1/executions/start?a=%20b",
    body: '{"mission_id":7}',
    headers: {
      host: new URL(url).host,
      "x-drone-ip": DRONE,
      "x-edge-secret": SECRET,
      "x-kept": "yes",
      authorization: "Bearer of the drone",
      "content-length": "16",
    },
  });
  const names = request?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(names?.filter((name) => /drone|secret|forwarded|real|nominated/.test(name)).sort()).toEqual([
    "x-drone-ip",
    "x-edge-secret",
  ]);
});

test("addresses that are not a live drone's are refused, also when they were a drone's until now", async () => {
  const { url, seen } = await upstream();
  const edge = await edgeTo(url);
  expect(faultOf(await requestFrom(OTHER, at(edge), { headers: { "x-drone-ip": DRONE } }))).toMatchObject({
    status: 403,
    body: { success: false, error: { code: 403, message: expect.stringContaining("tunnel") } },
  });
  const held = connectFrom(DRONE, at(edge));
  const ask = "GET /api/v1/executions/current HTTP/1.1\r\nHost: edge\r\n\r\n";
  held.socket.write(ask);
  await until(() => held.said().includes("200 OK"));
  const cut = new Promise((resolve) => held.socket.once("close", resolve));
  // Another drone has the address now.
  edge.live.set(DRONE, { ip: DRONE as Ipv4, keyId: "another" });
  await edge.look();
  await cut;
  expect((await requestFrom(DRONE, at(edge))).status).toBe(200);
  edge.live.delete(DRONE);
  await edge.look();
  expect((await requestFrom(DRONE, at(edge))).status).toBe(403);
  expect(seen).toHaveLength(2);
  expect(await edge.metrics()).toMatch(
    /fleet_edge_refusals_total\{service="gateway",reason="not_a_drone".*\} 2/,
  );
});

test("a kept-alive connection forwards nothing once its address is another drone's, also before a refresh", async () => {
  const { url, seen } = await upstream();
  let keyId = "first";
  const edge = await edgeTo(url, { live: () => new Map([[DRONE, { ip: DRONE as Ipv4, keyId }]]) });
  const held = connectFrom(DRONE, at(edge));
  const ask = "GET /api/v1/executions/current HTTP/1.1\r\nHost: edge\r\n\r\n";
  held.socket.write(ask);
  await until(() => held.said().includes("200 OK"));
  keyId = "another";
  held.socket.write(ask);
  await once(held.socket, "close");
  expect(seen).toHaveLength(1);
});

test("no connection is admitted before the database has been read, nor while a former key may use the address", async () => {
  const { url, seen } = await upstream();
  for (const state of [{ live: () => undefined }, { isSettled: () => false }]) {
    const edge = await edgeTo(url, state);
    expect((await requestFrom(DRONE, at(edge))).status).toBe(503);
  }
  expect(seen).toEqual([]);
});

test("connections beyond a drone's limit are answered with 429", async () => {
  const { url } = await upstream();
  const edge = await edgeTo(url, { maxConnectionsPerDrone: 2 });
  const held = [connectFrom(DRONE, at(edge)), connectFrom(DRONE, at(edge))];
  await until(async () => /connections\{service="gateway".*\} 2/.test(await edge.metrics()));
  expect((await requestFrom(DRONE, at(edge))).status).toBe(429);
  for (const { socket } of held) socket.destroy();
  await until(async () => (await requestFrom(DRONE, at(edge))).status === 200);
});

test.each([
  ["another path", "/metrics"],
  ["the root", "/"],
  ["a path that climbs", "/api/v1/../../metrics"],
  ["a path that climbs in disguise", "/api/v1/%2e%2e/%2e%2e/metrics"],
  ["a path with backslashes", "/api/v1/..\\..\\metrics"],
  ["another host's URL", "http://127.0.0.1:1/api/v1/user"],
])("%s is a 404 and is not forwarded", async (_, path) => {
  const { url, seen } = await upstream();
  const edge = await edgeTo(url);
  const raw = connectFrom(DRONE, at(edge));
  raw.socket.write(`GET ${path} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n`);
  await until(() => /^HTTP\/1\.1 40[04] /.test(raw.said()));
  expect(seen).toEqual([]);
});

test.each([
  [
    "a length and chunks",
    "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/v1/smuggled HTTP/1.1\r\n\r\n",
  ],
  ["two lengths", "Content-Length: 4\r\nContent-Length: 40\r\n\r\nbody"],
  ["chunks twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["an unknown encoding", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
  ["chunks in disguise", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
  ["a space before the colon", "Content-Length : 4\r\n\r\nbody"],
  ["a folded header", "X-One: 1\r\n X-Drone-IP: 10.71.0.9\r\nContent-Length: abc\r\n\r\n"],
])("%s is refused, and nothing of it reaches the gateway", async (_, rest) => {
  const { url, seen } = await upstream();
  const edge = await edgeTo(url);
  const raw = connectFrom(DRONE, at(edge));
  raw.socket.write(`POST /api/v1/executions/start HTTP/1.1\r\nHost: edge\r\n${rest}`);
  await until(() => raw.said().startsWith("HTTP/1.1 400"));
  expect(raw.said().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  await until(() => raw.socket.closed);
  expect(seen).toEqual([]);
});

test("a chunked body is forwarded as one request without its trailer, whatever the method", async () => {
  const { url, seen } = await upstream();
  const edge = await edgeTo(url);
  for (const method of ["POST", "GET", "DELETE"]) {
    const raw = connectFrom(DRONE, at(edge));
    raw.socket.write(
      `${method} /api/v1/executions/start HTTP/1.1\r\nHost: edge\r\nTransfer-Encoding: chunked\r\nTrailer: X-Drone-IP\r\nConnection: close\r\n\r\n` +
        "1c\r\nGET /api/v1/x HTTP/1.1\r\nA: b\r\n0\r\nX-Drone-IP: 10.71.0.9\r\n\r\n",
    );
    await until(() => raw.said().startsWith("HTTP/1.1 200"));
  }
  expect(seen.map(({ method, body }) => [method, body])).toEqual(
    ["POST", "GET", "DELETE"].map((method) => [method, "GET /api/v1/x HTTP/1.1\r\nA: b"]),
  );
  for (const { headers } of seen) expect(headers["x-drone-ip"]).toBe(DRONE);
});

test("bodies are streamed in both directions", async () => {
  const received: string[] = [];
  const server = createServer((request, reply) => {
    reply.writeHead(200, { "Content-Type": "text/plain", "Set-Cookie": ["a=1", "b=2"] });
    request.on("data", (chunk) => {
      received.push(`${chunk}`);
      reply.write(`heard ${chunk};`);
    });
    request.on("end", () => reply.end("end"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  const edge = await edgeTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const raw = connectFrom(DRONE, at(edge));
  raw.socket.write(
    "POST /api/v1/x HTTP/1.1\r\nHost: edge\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\none\r\n",
  );
  await until(() => raw.said().includes("heard one;"));
  expect(raw.said()).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/i);
  raw.socket.write("3\r\ntwo\r\n0\r\n\r\n");
  await until(() => raw.said().includes("heard two;") && raw.said().includes("end"));
  expect(received).toEqual(["one", "two"]);
});

test("an unreachable gateway is a 502, a silent one a 504, in the envelope of the route", async () => {
  const gone = await edgeTo("http://127.0.0.1:1");
  expect(faultOf(await requestFrom(DRONE, at(gone)))).toMatchObject({
    status: 502,
    body: { success: false, error: { code: 502, message: "The gateway cannot be reached." } },
  });
  expect(faultOf(await requestFrom(DRONE, at(gone, "/api/v1/drone/pull")))).toEqual({
    status: 502,
    body: { error: "The gateway cannot be reached." },
  });
  const { url } = await upstream(() => {});
  const silent = await edgeTo(url, { idleTimeoutMs: 300 });
  expect(faultOf(await requestFrom(DRONE, at(silent)))).toMatchObject({
    status: 504,
    body: { error: { message: "The gateway does not answer." } },
  });
  const none = await edgeTo(undefined);
  expect((await requestFrom(DRONE, at(none))).status).toBe(502);
});

test("a drone that stops in the middle of a request gets 408, and one that disconnects ends its request", async () => {
  const { url, seen, server } = await upstream();
  const edge = await edgeTo(url, { idleTimeoutMs: 300 });
  const slow = connectFrom(DRONE, at(edge));
  slow.socket.write("POST /api/v1/x HTTP/1.1\r\nHost: edge\r\nContent-Length: 10\r\n\r\nhalf");
  await until(() => slow.said().startsWith("HTTP/1.1 408"));
  const leaving = connectFrom(DRONE, at(edge));
  leaving.socket.write("POST /api/v1/x HTTP/1.1\r\nHost: edge\r\nContent-Length: 10\r\n\r\nhalf");
  await until(
    () => new Promise<boolean>((resolve) => server.getConnections((_, count) => resolve(count > 0))),
  );
  leaving.socket.destroy();
  await until(
    () => new Promise<boolean>((resolve) => server.getConnections((_, count) => resolve(count === 0))),
  );
  expect(seen).toEqual([]);
});
