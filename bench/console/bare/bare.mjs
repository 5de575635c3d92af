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
    if (map.getSource("drones") && fleet.size > 0) document.body.dataset.usable = "true";
  });
}

map.once("load", () => {
  const arrow = document.createElement("canvas");
  arrow.width = arrow.height = 48;
  const context = arrow.getContext("2d");
  context.fill(new Path2D("M24 3 L41 44 L24 35 L7 44 Z"));
  map.addImage("arrow", context.getImageData(0, 0, 48, 48), { sdf: true, pixelRatio: 1.5 });
  map.addSource("drones", { type: "geojson", data: features() });
  map.addLayer({
    id: "drones",
    type: "symbol",
    source: "drones",
    layout: {
      "icon-image": "arrow",
      "icon-rotate": ["get", "heading"],
      "icon-rotation-alignment": "map",
      "icon-allow-overlap": true,
      "icon-ignore-placement": true,
      "text-field": ["get", "name"],
      "text-font": ["sans-serif"],
      "text-size": 13,
      "text-offset": [0, 1.3],
      "text-anchor": "top",
      "text-optional": true,
    },
    paint: { "icon-color": "#0b5fff", "text-halo-color": "#ffffff", "text-halo-width": 1.5 },
  });
  draw();
});
