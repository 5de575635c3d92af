// What the console is compared with: MapLibre with the same markers, Socket.IO, and nothing else.
import { MapLibreMap, setWorkerUrl } from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import { io } from "socket.io-client";
import "maplibre-gl/dist/maplibre-gl.css";
import "./bare.css";

setWorkerUrl(workerUrl);

const fleet = new Map();
const features = () => ({
  type: "FeatureCollection",
  features: [...fleet.values()].map(({ drone_id, position }) => ({
    type: "Feature",
    properties: { name: `Copter ${drone_id}`, heading: position.heading },
    geometry: { type: "Point", coordinates: [position.longitude, position.latitude] },
  })),
});

const map = new MapLibreMap({
  container: "map",
  style: { version: 8, sources: {}, layers: [{ id: "ground", type: "background" }] },
  center: [8.5456, 47.4],
  zoom: 14,
  attributionControl: false,
  fadeDuration: 0,
});

const socket = io(location.origin, { transports: ["websocket"], query: { token: "bench" } });
socket.on("connected", () => socket.emit("subscribe_fleet"));
socket.on("fleet_data", ({ complete, drones }) => {
  if (complete) fleet.clear();
  for (const drone of drones) fleet.set(drone.drone_id, drone);
  document.getElementById("mode").textContent = drones[0].mode;
  draw();
});

/** Once a frame. */
let isDrawn = true;
function draw() {
  if (!isDrawn) return;
  isDrawn = false;
  requestAnimationFrame(() => {
    isDrawn = true;
    map.getSource("drones")?.setData(features());
  });
}

map.once("load", () => {
  map.addSource("drones", { type: "geojson", data: features() });
  map.addLayer({
    id: "drones",
    type: "circle",
    source: "drones",
    paint: {
      "circle-radius": 6,
      "circle-color": "#b42318",
      "circle-stroke-width": 1.5,
      "circle-stroke-color": "#ffffff",
    },
  });
  draw();
});
