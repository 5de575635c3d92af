import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Server } from "socket.io";
import { io } from "socket.io-client";
import { WebSocketServer } from "ws";
import { eventually } from "../../../platform/eventually";
import { atEndOfFile } from "../../../testing/clean-up";
import { writeWholeFlushes } from "./whole-flushes";

test.each([[["websocket"]], [["polling", "websocket"]]])(
  "packets of one tick take two writes to a client of %j: the first at once, the others together",
  async (transports) => {
    const http = createServer();
    const server = new Server(http, { wsEngine: WebSocketServer });
    server.engine.on("connection", writeWholeFlushes);
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const client = io(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports });
    atEndOfFile(async () => {
      client.close();
      await server.close();
    });
    const [, tcp] = (await once(http, "upgrade")) as [unknown, Socket];
    await eventually(
      "A WebSocket",
      () => client.connected && client.io.engine.transport.name === "websocket",
    );
    const answer = new Promise((resolve) => client.once("greeting", resolve));
    server.emit("greeting");
    await answer;
    const writes = jest.spyOn(tcp as Required<Socket>, "_writev");
    for (let packet = 1; packet <= 5; packet++) server.emit("packet", packet);
    const received: number[] = [];
    await new Promise<void>((resolve) => {
      client.on("packet", (packet: number) => received.push(packet) === 5 && resolve());
    });
    expect(received).toEqual([1, 2, 3, 4, 5]);
    // A WebSocket frame is two chunks: its header and its payload.
    expect(writes.mock.calls.map(([chunks]) => chunks.length)).toEqual([2, 8]);
  },
);
