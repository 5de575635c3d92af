import { createServer } from "node:http";
import { closeServer, listen } from "../../http/listen";
import { createLogger } from "../../platform/log";
import { atEndOfFile } from "../../testing/clean-up";
import { type Message, NotSent } from "./messages";
import { PeerClient } from "./peer-client";
import { peerListener } from "./peer-server";

const close: Message = { ask: "close", key: "drone:1", reason: "a test" };

test("a replica with another secret is told nothing and does nothing, and its caller is not taken for a stranger", async () => {
  const heard: Message[] = [];
  const answer = async (message: Message) => heard.push(message);
  const server = createServer(peerListener("the secret of today", answer, createLogger("test", "silent")));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const [stale, fresh] = ["the secret of yesterday", "the secret of today"].map((secret) => {
    const client = new PeerClient(secret);
    atEndOfFile(async () => client.close());
    return client;
  }) as [PeerClient, PeerClient];
  await expect(stale.ask(url, close, { repeatable: false })).rejects.toBeInstanceOf(NotSent);
  expect(heard).toEqual([]);
  expect(await fresh.ask(url, close, { repeatable: false })).toBe(1);
  expect(heard).toEqual([close]);
});
