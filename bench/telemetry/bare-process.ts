import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { answer, ownFigures } from "../relay/child";
import { frames } from "./frames";
import { onSchedule } from "./now";

/** Bare Socket.IO: rooms, and a timer that emits what the gateway makes of the vehicles' messages. */
const server = createServer();
const io = new Server(server, { serveClient: false });
io.on("connection", (socket) => {
  socket.on("subscribe_telemetry", ({ drone_id, stream_type }) => {
    void socket.join(`drone_${drone_id}_${stream_type}`);
    socket.emit("subscription_confirmed", { status: "subscribed", drone_id, stream_type });
  });
});

const SLICES = 10;
let flying = 0;
let slice = 0;
let round = 0;
/**
 * Vehicles are spread over the tenth of a second, as those in the field are. A message that is emitted late
 * was due when a vehicle would have sent it.
 */
onSchedule(100 / SLICES, (due) => {
  for (let drone = 1 + slice; drone <= flying; drone += SLICES) emitAll(drone, due);
  slice = (slice + 1) % SLICES;
  if (slice === 0) round += 1;
});

function emitAll(drone_id: number, due: number): void {
  const room = io.to(`drone_${drone_id}_dashboard`);
  const emit = (type: string, data: object) => room.emit("telemetry_data", { type, drone_id, data });
  emit("gps", { ...frames.position, altitude: due / 1000 });
  emit("relalt", { data: 30.25 });
  emit("hud", frames.hud);
  emit("imu", frames.imu);
  if (round % 2 === 0) emit("raw_gps", { ...frames.position, altitude: 520.5, satellites_visible: 15 });
  if (round % 10 !== 0) return;
  emit("system", frames.system);
  emit("diagnostics", frames.diagnostics);
}

answer({
  listen: () =>
    new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    ),
  fly: (count: number) => {
    flying = count;
    return true;
  },
  drops: () => [],
  ...ownFigures,
});
