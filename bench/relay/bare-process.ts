import type { AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { WebSocketServer } from "ws";
import { addressOf } from "./addresses";
import { answer, ownFigures } from "./child";

/** The bare pipe: ws → ioredis.publish, without look-up, bounds or metrics. */
const redis = new Redis(process.env.REDIS_URL as string);
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("connection", (socket, request) => {
  const channel = `${addressOf(Number(request.url?.split("/").at(-1)))}:gamepad_input`;
  socket.on("message", (frame: Buffer) => redis.publish(channel, frame));
});

answer({ port: () => (server.address() as AddressInfo).port, ...ownFigures });
