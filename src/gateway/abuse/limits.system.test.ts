import { once } from "node:events";
import { Registry } from "prom-client";
import { WebSocket } from "ws";
import { createLogger } from "../../platform/process/log";
import { startTelemetryServer } from "../../testing/fakes/telemetry-server";
import { rawClient } from "../../testing/raw-http";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";

import { startTestGateway } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

test("a watcher gets 500 streams, and another one after it unsubscribes", async () => {
  const port = await startTelemetryServer(
    {
      links: { subscribe: () => () => {} },
      find: async (_userId, id) => ({ key: `drone:${id}`, host: "127.0.0.1", port: 1, via: "direct" }),
      log: createLogger("test", "silent"),
      registry: new Registry(),
    },
    10,
  );
  const watcher = new TestWatcher(`http://127.0.0.1:${port}`, "any");
  await watcher.next("connected");
  const subscribe = (drone_id: number) =>
    watcher.socket.emit("subscribe_telemetry", { drone_id, stream_type: "gps" });
  for (let drone = 1; drone <= 500; drone++) {
    subscribe(drone);
    // No more requests may wait.
    if (drone % 100 === 0) await watcher.next("subscription_confirmed", drone);
  }
  subscribe(501);
  expect((await watcher.next("error")).message).toContain("500 streams at most");
  await watcher.unsubscribe(1, "gps");
  subscribe(501);
  expect(await watcher.next("subscription_confirmed", 502)).toMatchObject({
    status: "subscribed",
    drone_id: 501,
  });
});

test("a process takes TELEMETRY_MAX_SOCKETS Socket.IO clients, and another one after one has disconnected", async () => {
  const gateway = await startTestGateway({ TELEMETRY_MAX_SOCKETS: "2" });
  const users = await Promise.all([1, 2, 3].map(() => gateway.newUser()));
  const [one, other] = users.slice(1).map(({ token }) => new TestWatcher(gateway.url, token)) as [
    TestWatcher,
    TestWatcher,
  ];
  await Promise.all([one.next("connected"), other.next("connected")]);
  const watch = () => new TestWatcher(gateway.url, users[0]?.token as string);
  const third = watch();
  const fault = await new Promise<Error>((resolve) => third.socket.once("connect_error", resolve));
  expect(fault).toBeInstanceOf(Error);
  one.socket.disconnect();
  await eventually("there is room again", async () => {
    const late = watch();
    await new Promise<void>((resolve) => {
      late.socket.once("connect_error", () => resolve());
      late.socket.once("connected", () => resolve());
    });
    return late.all("connected").length === 1;
  });
});

test("one user gets QUOTA_SOCKETS Socket.IO clients, and all clients without a valid token together a tenth", async () => {
  const gateway = await startTestGateway({ TELEMETRY_MAX_SOCKETS: "20", QUOTA_SOCKETS: "2" });
  const [user, other] = [await gateway.newUser(), await gateway.newUser()];
  /** Opens one by polling, and never asks for anything more. */
  const open = async (token: string) => {
    const reply = await fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling&token=${token}`);
    return { status: reply.status, text: await reply.text() };
  };
  for (const token of [user.token, "", "no token", other.token]) await open(token);
  expect(await open("another")).toMatchObject({ status: 503, text: expect.stringContaining("Too many") });
  const { text } = await open(user.token);
  const refused = await open(user.token);
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining("quota sockets") });
  const webSocket = new WebSocket(
    `${gateway.url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket&token=${user.token}`,
  );
  const [request, reply] = await once(webSocket, "unexpected-response");
  expect(reply.statusCode).toBe(429);
  request.destroy();
  expect((await user.api.get("/user/quotas")).body.data).toContainEqual(
    expect.objectContaining({ quota: "sockets", used: 2, limit: 2 }),
  );
  expect((await open(other.token)).status).toBe(200);
  const { sid } = JSON.parse(text.slice(1));
  await fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, { method: "POST", body: "1" });
  await eventually("there is room again", async () => (await open(user.token)).status === 200);
});

test("of forty Socket.IO clients that one user opens at once, the quota is taken", async () => {
  const gateway = await startTestGateway({ QUOTA_SOCKETS: "5" });
  const { token } = await gateway.newUser();
  const url = `${gateway.url}/socket.io/?EIO=4&transport=polling&token=${token}`;
  const replies = await Promise.all(Array.from({ length: 40 }, () => fetch(url)));
  expect(replies.filter(({ ok }) => ok)).toHaveLength(5);
});

test("a port takes HTTP_MAX_CONNECTIONS connections, and another one after one has ended", async () => {
  const gateway = await startTestGateway({ HTTP_MAX_CONNECTIONS: "3" });
  const port = Number(new URL(gateway.url).port);
  const callers = await Promise.all([1, 2, 3].map(() => rawClient(port)));
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  callers[0]?.socket.destroy();
  await eventually("it is served", async () =>
    fetch(`${gateway.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

test("a body without a token may have 64 KiB, a user's 512 KiB", async () => {
  const gateway = await startTestGateway();
  const { api } = await gateway.newUser();
  const name = "x".repeat(70_000);
  expect((await gateway.api.post("/login", { username: name, password: "x" })).status).toBe(413);
  expect(await api.post("/mission", { name })).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining("name") },
  });
  const bodyOf = (bytes: number) =>
    JSON.stringify({ name: "x".repeat(bytes - JSON.stringify({ name: "" }).length) });
  const statuses = [524_288, 524_289].map(
    async (bytes) => (await api.post("/mission", bodyOf(bytes))).status,
  );
  expect(await Promise.all(statuses)).toEqual([500, 413]);
});

test("an event of the payment provider may have 256 KiB", async () => {
  const gateway = await startTestGateway();
  const send = async (bytes: number) =>
    (await gateway.api.post("/billing/webhook", " ".repeat(bytes))).status;
  expect([await send(262_144), await send(262_145)]).toEqual([400, 413]);
});

test.each([
  ["33 deep", `{"name":${"[".repeat(32)}${"]".repeat(32)}}`, 400, "nested too deeply"],
  ["32 deep", `{"name":${"[".repeat(31)}${"]".repeat(31)}}`, 500, "name"],
  ["with brackets in a text", JSON.stringify({ name: "[{".repeat(90) }), 201, undefined],
  ["with a quote and brackets in a text", JSON.stringify({ name: `\\"${"[".repeat(90)}` }), 201, undefined],
  ["of 100,001 values", `[${"0,".repeat(100_000)}0]`, 413, "too many values"],
])("a body %s gets its own status and message", async (_what, body, status, expected) => {
  const gateway = await shared;
  const { api } = await gateway.newUser();
  const reply = await api.post("/mission", body);
  expect(reply.status).toBe(status);
  expect(reply.body.error).toEqual(expected && expect.stringContaining(expected));
});

test("an error message that quotes the input has 2,000 characters at most", async () => {
  const { api } = await (await shared).newUser();
  const point = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, 1]));
  const reply = await api.patch("/mission/1/points", [point]);
  expect(reply.status).toBe(500);
  expect(reply.body.error).toContain('has no field "key0"');
  expect(reply.body.error).toHaveLength(2_000);
});

test("a batch of 2,001 points is refused whole", async () => {
  const { api } = await (await shared).newUser();
  const points = Array.from({ length: 2_001 }, (_, at) => ({ id: at + 1 }));
  const patch = (rows: unknown[]) => api.patch("/mission/1/points", rows);
  expect(await patch(points)).toMatchObject({
    status: 500,
    body: { error: "body: must have at most 2000 items" },
  });
  expect((await patch(points.slice(1))).status).toBe(404);
});

let shared: ReturnType<typeof startTestGateway>;
beforeAll(() => {
  shared = startTestGateway();
});

test("the 25th request under way of one user gets 429, and other users are served", async () => {
  const gateway = await shared;
  const [user, other] = [await gateway.newUser(), await gateway.newUser()];
  const port = Number(new URL(gateway.url).port);
  const head = [
    "POST /api/v1/mission HTTP/1.1",
    ...["Host: x", "Content-Type: application/json", "Content-Length: 20"],
    `Authorization: Bearer ${user.token}`,
  ].join("\r\n");
  // Their bodies do not come. More than the limit: the request that asks whether it is reached may take one's turn.
  const callers = await Promise.all(Array.from({ length: 80 }, () => rawClient(port, `${head}\r\n\r\n`)));
  await eventually(
    "the user has all requests under way",
    async () => (await user.api.get("/user")).status === 429,
  );
  const refused = await user.api.get("/missions");
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining("24 requests") } });
  expect(refused.headers.get("retry-after")).toBe("5");
  expect((await other.api.get("/missions")).status).toBe(200);
  for (const { socket } of callers) socket.destroy();
  await eventually("the user is served", async () => (await user.api.get("/user")).status === 200);
});

test("the 101st emergency order under way of one user gets 429, and other requests of the user are served", async () => {
  const gateway = await shared;
  const { api, token } = await gateway.newUser();
  const port = Number(new URL(gateway.url).port);
  const head = [
    "POST /api/v1/drone/action/land HTTP/1.1",
    ...["Host: x", "Content-Type: application/json", "Content-Length: 20"],
    `Authorization: Bearer ${token}`,
  ].join("\r\n");
  const callers = await Promise.all(Array.from({ length: 150 }, () => rawClient(port, `${head}\r\n\r\n`)));
  await eventually("the user has all emergency orders under way", async () => {
    const { status, body } = await api.post("/drone/action/land", { drone_id: 1 });
    return status === 429 && JSON.stringify(body).includes("100 requests");
  });
  expect((await api.get("/user")).status).toBe(200);
  for (const { socket } of callers) socket.destroy();
});
