import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import WebSocket from "ws";
import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import { startJumphost } from "../../testing/worlds/jumphost";

/** Another hub has taken over, and this hub's jumphost has not been stopped yet. */
let isActive = true;
let received = "";
let met: Socket | undefined;
let dial: () => WebSocket;

beforeAll(async () => {
  const vehicle = createServer((socket) => {
    met = socket;
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => vehicle.listen(0, "127.0.8.1", resolve));
  const { port } = vehicle.address() as AddressInfo;
  const { url } = await startJumphost({ isActive: () => isActive });
  dial = () => new WebSocket(url, { headers: { "x-drone-ip": "127.0.8.1", "x-drone-port": String(port) } });
  atEndOfFile(async () => {
    met?.destroy();
    await new Promise((resolve) => vehicle.close(resolve));
  });
});
beforeEach(() => {
  isActive = true;
});

test("once another hub serves, no byte reaches the vehicle, its connection is reset and the gateway gets a close code", async () => {
  const gateway = dial();
  await once(gateway, "open");
  gateway.send(Buffer.from("before"));
  await until(() => received === "before");
  const reset = once(met as Socket, "error");
  isActive = false;
  gateway.send(Buffer.from("after"));
  const [code, words] = await once(gateway, "close");
  expect([code, String(words)]).toEqual([1012, "another hub serves now; connect again"]);
  expect(await reset).toMatchObject([{ code: "ECONNRESET" }]);
  expect(received).toBe("before");
});

test("a hub that does not serve opens no pipe", async () => {
  isActive = false;
  const gateway = dial();
  const [, reply] = (await once(gateway, "unexpected-response")) as [unknown, IncomingMessage];
  expect(reply.resume().statusCode).toBe(503);
});
