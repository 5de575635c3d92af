import { createSecretKey } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import jwt from "jsonwebtoken";
import { Server } from "socket.io";
import type { NewestState } from "../../src/vehicle";
import { answer, ownFigures } from "../relay/child";
import { flights } from "./states";

/** The same states from memory, by node:http with the token's check, and by bare Socket.IO: no database, no Redis. */
const key = createSecretKey(Buffer.from(process.env.JWT_SECRET as string));
const states = new Map<number, { heardAt: number; said: Partial<NewestState> }>();
const fleets = new Map<number, readonly number[]>();

function fleetOf(user: number): object[] {
  const now = performance.now();
  return (fleets.get(user) ?? []).map((drone_id) => {
    const state = states.get(drone_id);
    const age_ms = Math.round(now - (state?.heardAt ?? 0));
    const { armed, mode, position, battery, mission } = state?.said ?? {};
    return {
      drone_id,
      link: { up: true, age_ms },
      ...{ armed, mode, position: { ...position, age_ms }, battery, mission },
    };
  });
}

const userOf = (token: string): number => Number(jwt.verify(token, key, { algorithms: ["HS256"] }).sub);

const server = createServer((request, response) => {
  const user = userOf(request.headers.authorization?.slice("Bearer ".length) ?? "");
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(fleetOf(user)));
});
const io = new Server(server, { serveClient: false });
io.on("connection", (socket) => {
  const user = userOf(String(socket.handshake.query.token));
  socket.on("subscribe_fleet", () => {
    void socket.join(`fleet_${user}`);
    socket.emit("fleet_data", { complete: true, drones: fleetOf(user) });
  });
});
setInterval(() => {
  for (const user of fleets.keys())
    if (io.of("/").adapter.rooms.has(`fleet_${user}`))
      io.to(`fleet_${user}`).emit("fleet_data", { complete: false, drones: fleetOf(user) });
}, 1_000);

answer({
  url: () =>
    new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      );
    }),
  own: (user: number, ids: readonly number[]) => {
    fleets.set(user, ids);
    return ids.length;
  },
  ...flights((id, part) =>
    states.set(id, { heardAt: performance.now(), said: { ...states.get(id)?.said, ...part } }),
  ),
  ...ownFigures,
});
