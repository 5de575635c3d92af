import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { answer, ownFigures } from "../relay/child";
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

const position = {
  latitude: 47.397742,
  longitude: 8.545594,
  altitude: 0,
  status: { status: 0, service: 1 },
  yaw: 123,
};
const imu = {
  orientation: { w: 0.7012345678912345, x: 0.0123456789, y: 0.0234567891, z: 0.7012345678912345 },
  angular_velocity: { x: 0.0112345678, y: -0.0223456789, z: 0.0334567891 },
  linear_acceleration: { x: 0.1176798, y: -0.2059397, z: 9.80665 },
};
const hud = { airspeed: 5.25, groundspeed: 5.125, heading: 123, throttle: 45, altitude: 520.5, climb: 0.25 };
const sensors = Object.fromEntries(
  ["gyro", "accelerometer", "magnetometer", "absolute_pressure", "gps", "battery"].map((name) => [
    name,
    true,
  ]),
);
const system = {
  battery: { voltage: 12.1, current: 10.5, remaining: 80 },
  cpu_load: 25,
  sensors,
  armed: true,
};
const rows = Object.keys(sensors).map((name) => ({ level: 0, name: `sensor: ${name}`, message: "healthy" }));
const diagnostics = { status: [...rows, { level: 0, name: "gps", message: "3D fix, 15 satellites" }] };

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
  emit("gps", { ...position, altitude: due / 1000 });
  emit("relalt", { data: 30.25 });
  emit("hud", hud);
  emit("imu", imu);
  if (round % 2 === 0) emit("raw_gps", { ...position, altitude: 520.5, satellites_visible: 15 });
  if (round % 10 !== 0) return;
  emit("system", { ...system, mode: "GUIDED" });
  emit("diagnostics", diagnostics);
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
