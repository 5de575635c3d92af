import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { closeServer, listen } from "../../http/server/listen";
import { atEndOfFile } from "../../testing/clean-up";
import { until } from "../../testing/until";
import { Gamepad } from "./gamepad";

/** A FAKE relay that keeps the sockets of its pilots, and says what it is told to. */
async function fakeRelay(): Promise<{ url: string; pilots: WebSocket[] }> {
  const server = createServer();
  const pilots: WebSocket[] = [];
  new WebSocketServer({ server }).on("connection", (pilot) => void pilots.push(pilot));
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => {
    for (const pilot of pilots) pilot.terminate();
    return closeServer(server);
  });
  return { url: url.replace("http", "ws"), pilots };
}

test("messages on the drone's channel that are no acknowledgement are ignored", async () => {
  const relay = await fakeRelay();
  const gamepad = await Gamepad.plugIn(relay.url, 7, "token");
  atEndOfFile(async () => gamepad.unplug());
  await until(() => relay.pilots.length === 1);
  const ack = (age_ms: number) => JSON.stringify({ type: "ack", accepted: true, age_ms });
  for (const text of [ack(1), "not JSON", "", "null", "5", "[]", '{"type":"ack"', '{"type":"log"}', ack(2)])
    relay.pilots[0]?.send(text);
  await until(() => gamepad.ages.length === 2);
  expect(gamepad.ages).toEqual([1, 2]);
  expect(gamepad.refusal).toBeUndefined();
  relay.pilots[0]?.send(JSON.stringify({ type: "ack", accepted: false, reason: "stale" }));
  await until(() => gamepad.refusal === "stale");
});
