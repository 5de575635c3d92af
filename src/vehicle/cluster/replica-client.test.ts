import { createServer } from "node:http";
import type { Socket } from "node:net";
import { closeServer, listen } from "../../http/server/listen";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing/clean-up";
import { type ReplicaRequest, ReplyLost, RequestNotSent } from "./messages";
import { ReplicaClient } from "./replica-client";
import { replicaListener } from "./replica-server";

const close: ReplicaRequest = { ask: "close", key: "drone:1", reason: "a test" };

function clientWith(secret: string): ReplicaClient {
  const client = new ReplicaClient(secret);
  atEndOfFile(async () => client.close());
  return client;
}

test("a request with another replica secret is not carried out, and its caller gets no 401", async () => {
  const received: ReplicaRequest[] = [];
  const handle = async (message: ReplicaRequest) => received.push(message);
  const server = createServer(replicaListener("the secret of today", handle, createLogger("test", "silent")));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const [stale, fresh] = [clientWith("the secret of yesterday"), clientWith("the secret of today")];
  await expect(stale.send(url, close, { repeatable: false })).rejects.toBeInstanceOf(RequestNotSent);
  expect(received).toEqual([]);
  expect(await fresh.send(url, close, { repeatable: false })).toBe(1);
  expect(received).toEqual([close]);
});

test("a request longer than any plan is not read to its end, and not carried out", async () => {
  const received: ReplicaRequest[] = [];
  const handle = async (message: ReplicaRequest) => received.push(message);
  const server = createServer(replicaListener("a secret", handle, createLogger("test", "silent")));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const client = clientWith("a secret");
  const endless = { ...close, reason: "x".repeat(9 * 2 ** 20) };
  await expect(client.send(url, endless, { repeatable: false })).rejects.toThrow();
  expect(received).toEqual([]);
  expect(await client.send(url, close, { repeatable: false })).toBe(1);
});

test("a request that may not be repeated goes over a connection of its own: the other end may be closing a kept-alive one", async () => {
  const asked = new Map<Socket, number>();
  const server = createServer((request, response) => {
    const before = asked.get(request.socket) ?? 0;
    asked.set(request.socket, before + 1);
    if (before > 1) return void request.socket.destroy();
    return void response.end(JSON.stringify({ result: before }));
  });
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const client = clientWith("a secret");
  const ask = (repeatable: boolean) => client.send(url, close, { repeatable });
  expect(await ask(true)).toBe(0);
  expect(await ask(true)).toBe(1);
  expect(await ask(false)).toBe(0);
  expect(asked.size).toBe(2);
  // Closed at the very moment at which it is sent: it is unknown whether it was received.
  await expect(ask(true)).rejects.toBeInstanceOf(ReplyLost);
});
