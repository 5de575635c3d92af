import { createServer } from "node:http";
import type { Socket } from "node:net";
import { closeServer, listen } from "../../http/server/listen";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing/clean-up";
import { AnswerLost, type Message, NotSent } from "./messages";
import { PeerClient } from "./peer-client";
import { peerListener } from "./peer-server";

const close: Message = { ask: "close", key: "drone:1", reason: "a test" };

function clientWith(secret: string): PeerClient {
  const client = new PeerClient(secret);
  atEndOfFile(async () => client.close());
  return client;
}

test("a replica with another secret is told nothing and does nothing, and its caller is not taken for a stranger", async () => {
  const heard: Message[] = [];
  const answer = async (message: Message) => heard.push(message);
  const server = createServer(peerListener("the secret of today", answer, createLogger("test", "silent")));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const [stale, fresh] = [clientWith("the secret of yesterday"), clientWith("the secret of today")];
  await expect(stale.ask(url, close, { repeatable: false })).rejects.toBeInstanceOf(NotSent);
  expect(heard).toEqual([]);
  expect(await fresh.ask(url, close, { repeatable: false })).toBe(1);
  expect(heard).toEqual([close]);
});

test("a message that is longer than any plan is not read to its end, and nothing is done", async () => {
  const heard: Message[] = [];
  const answer = async (message: Message) => heard.push(message);
  const server = createServer(peerListener("a secret", answer, createLogger("test", "silent")));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const client = clientWith("a secret");
  const endless = { ...close, reason: "x".repeat(9 * 2 ** 20) };
  await expect(client.ask(url, endless, { repeatable: false })).rejects.toThrow();
  expect(heard).toEqual([]);
  expect(await client.ask(url, close, { repeatable: false })).toBe(1);
});

test("what may be asked once only goes over a connection of its own: the other end may be closing any that is kept", async () => {
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
  const ask = (repeatable: boolean) => client.ask(url, close, { repeatable });
  expect(await ask(true)).toBe(0);
  expect(await ask(true)).toBe(1);
  expect(await ask(false)).toBe(0);
  expect(asked.size).toBe(2);
  // Closed at the very moment at which it is sent: nobody knows whether it was heard.
  await expect(ask(true)).rejects.toBeInstanceOf(AnswerLost);
});
