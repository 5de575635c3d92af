import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { build, decode, FrameWriter } from "../../src/vehicle/mavlink/wire/codec";
import { FrameReader } from "../../src/vehicle/mavlink/wire/frame-reader";
import { ardupilotmega, common, minimal } from "../../src/vehicle/mavlink/wire/messages";
import { answer, ownFigures } from "../relay/child";
import { frames } from "../telemetry/frames";
import { hostOf } from "../telemetry/vehicles";

/**
 * A bare program: it cuts the same streams into frames with the same reader, makes the same JSON of the messages that a
 * watcher gets, and writes it to bare WebSockets. It knows no state, no rate, no rooms and no other replicas.
 */
const watchers = new Map<number, Set<WebSocket>>();
const server = createServer();
new WebSocketServer({ server }).on("connection", (socket, { url = "" }) => {
  const drone = Number(url.slice(1));
  const mine = watchers.get(drone) ?? new Set();
  watchers.set(drone, mine.add(socket));
  socket.on("close", () => mine.delete(socket));
});

const HEARTBEAT = build(minimal.Heartbeat, { type: 6, autopilot: 8, systemStatus: 4, mavlinkVersion: 3 });

function link(drone: number, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostOf(drone), port, noDelay: true });
    const writer = new FrameWriter(245, 190);
    const reader = new FrameReader((frame) => {
      const mine = watchers.get(drone);
      if (!mine?.size) return;
      const make = MAKERS.get(frame.id);
      if (!make) return;
      for (const [type, data] of make(decode(frame))) {
        const text = JSON.stringify(["telemetry_data", { type, drone_id: drone, data }]);
        for (const watcher of mine) watcher.send(text);
      }
    });
    socket.on("data", (chunk) => reader.push(chunk));
    socket.on("error", reject);
    socket.on("connect", () => {
      setInterval(() => socket.write(writer.encode(HEARTBEAT)), 1000);
      resolve();
    });
  });
}

type Made = readonly (readonly [type: string, data: object])[];
const MAKERS = new Map<number, (message: unknown) => Made>([
  [
    common.GlobalPositionInt.MSG_ID,
    (message) => {
      const { lat, lon, alt, relativeAlt } = message as common.GlobalPositionInt;
      const place = { latitude: lat / 1e7, longitude: lon / 1e7, altitude: alt / 1000 };
      return [
        ["gps", { ...frames.position, ...place }],
        ["relalt", { data: relativeAlt / 1000 }],
      ];
    },
  ],
  [
    common.VfrHud.MSG_ID,
    (message) => [["hud", { ...frames.hud, heading: (message as common.VfrHud).heading }]],
  ],
  [common.RawImu.MSG_ID, () => [["imu", frames.imu]]],
  [common.GpsRawInt.MSG_ID, () => [["raw_gps", { ...frames.position, satellites_visible: 15 }]]],
  [common.SysStatus.MSG_ID, () => [["system", frames.system]]],
  [ardupilotmega.EkfStatusReport.MSG_ID, () => [["diagnostics", frames.diagnostics]]],
]);

let linked = 0;

answer({
  port: () =>
    new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    ),
  hold: async (port: number, count: number) => {
    const began = performance.now();
    const opening: Promise<void>[] = [];
    while (linked < count) opening.push(link(++linked, port));
    await Promise.all(opening);
    return performance.now() - began;
  },
  ...ownFigures,
});
