import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Koa from "koa";
import { Server, type Socket } from "socket.io";
import { consolePages } from "../../src/http/console-pages";
import { answer, ownFigures } from "../relay/child";
import { droneOf, stateOf } from "./feed";

/**
 * The console as the gateway serves it, the bare page below `/bare/`, and behind both a stub that speaks the part of the
 * API and of the sockets' events that they use: the gateway itself tells a fleet's states once a second only.
 */
const { CONSOLE_FOLDER = "", BARE_FOLDER = "", DRONES = "0" } = process.env;
const ids = Array.from({ length: Number(DRONES) }, (_, at) => at + 1);
const sockets = new Set<Socket>();
let tenth = 0;
let timer: NodeJS.Timeout | undefined;

const tokens = { access_token: "bench", refresh_token: "bench" };
const user = { id: 1, username: "pilot@example.com", level: "CUSTOMER", is_active: true };
const replies: Readonly<Record<string, unknown>> = {
  "/api/v1/auth/refresh": tokens,
  "/api/v1/user": { success: true, data: user, message: "OK" },
  "/api/v1/drones": ids.map(droneOf),
  "/api/v1/drone/action/connection": {},
};
const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
};

const app = new Koa();
app.use(async (ctx, next) => {
  if (ctx.path in replies) {
    ctx.body = replies[ctx.path];
  } else if (ctx.path.startsWith("/bare/")) {
    const name = ctx.path === "/bare/" ? "index.html" : ctx.path.slice("/bare/".length);
    ctx.type = types[extname(name)] ?? "text/html";
    ctx.body = readFileSync(join(BARE_FOLDER, name));
  } else await next();
});
app.use(consolePages({ folder: CONSOLE_FOLDER, settings: { registration: false }, log: console }));

const server = createServer(app.callback());
const io = new Server(server, { serveClient: false });
io.on("connection", (socket) => {
  socket.emit("connected");
  socket.on("subscribe_fleet", () => {
    socket.emit("fleet_data", { complete: true, drones: ids.map((id) => stateOf(id, tenth)) });
    sockets.add(socket);
  });
  socket.on("disconnect", () => sockets.delete(socket));
});

const listening = new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
});

const tell = (drones: readonly number[]) => {
  tenth += 1;
  const states = drones.map((id) => stateOf(id, tenth));
  for (const socket of sockets) socket.emit("fleet_data", { complete: false, drones: states });
};

answer({
  url: () => listening,
  /** Ten times a second, all drones. */
  fly: () => {
    timer ??= setInterval(() => tell(ids), 100);
    return true;
  },
  land: () => {
    clearInterval(timer);
    timer = undefined;
    return true;
  },
  /** So many messages of one drone, a hundred times as fast as one says them. */
  say: async (messages: number) => {
    for (let sent = 0; sent < messages; sent += CHUNK) {
      for (let at = 0; at < CHUNK; at++) tell([1]);
      await pause(CHUNK);
    }
    return true;
  },
  ...ownFigures,
});

/** Messages, a thousand in a second. */
const CHUNK = 20;
