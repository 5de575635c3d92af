import { createHash } from "node:crypto";
import sharp from "sharp";
import { type LatLng, offsetBy } from "../../domain/geo";
import { eventually } from "../../platform/eventually";
import type { ApiClient } from "../api-client";
import { flightAltitude } from "./route";

const width = 1280;
const height = 960;
const pixelsPerMetre = 7;

interface Drone {
  readonly id: number;
  readonly ip: string;
}

/**
 * Take a picture of the ground and bring it in as the camera of a drone does: identified by its address, into the
 * execution that is under way. Returns the asset's id.
 */
export async function takePicture(
  api: ApiClient,
  droneId: number,
  home: LatLng,
  position: LatLng,
): Promise<number> {
  const drones = await api.get<readonly Drone[]>("/drones");
  const ip = drones.find(({ id }) => id === droneId)?.ip;
  if (!ip) throw new Error(`Drone ${droneId} has no address by which the gateway identifies it.`);
  const drone = api.as({ "X-Drone-IP": ip });
  const execution = await eventually("The execution of this flight", async () => {
    const { data } = await drone.get<{ data: { id: number } | null }>("/executions/current");
    return data;
  });
  const picture = await drawn(home, position);
  const { asset_id, url } = await drone.post<{ asset_id: number; url: string }>("/authenticate_upload", {
    file_name: "from-above.jpg",
    asset_type: "image",
    mime_type: "image/jpeg",
    checksum: createHash("sha256").update(picture).digest("hex"),
    execution_id: execution.id,
  });
  const stored = await fetch(url, { method: "PUT", body: new Uint8Array(picture) });
  if (!stored.ok) throw new Error(`The store answered ${stored.status} to the picture.`);
  await drone.post("/complete_upload", { asset_id });
  return asset_id;
}

/** The ground as it is seen from the position: fields, the launch pad at home, north up. */
function drawn(home: LatLng, position: LatLng): Promise<Buffer> {
  const north = offsetBy(position, 1, 0).lat - position.lat;
  const east = offsetBy(position, 0, 1).lng - position.lng;
  const x = width / 2 + ((home.lng - position.lng) / east) * pixelsPerMetre;
  const y = height / 2 - ((home.lat - position.lat) / north) * pixelsPerMetre;
  const furrows = Array.from({ length: 40 }, (_, row) => {
    const shade = ["#5d7f3a", "#66893f", "#587938"][row % 3];
    return `<rect x="0" y="${row * 24}" width="${width}" height="24" fill="${shade}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${furrows.join("")}
    <g transform="translate(${x} ${y})">
      <circle r="34" fill="#4a4f55"/>
      <circle r="26" fill="none" stroke="#f4f4f2" stroke-width="4"/>
      <path d="M-10 -14 V14 M10 -14 V14 M-10 0 H10" stroke="#f4f4f2" stroke-width="5"/>
    </g>
    <g stroke="#ffffff" stroke-width="2" opacity="0.8">
      <path d="M${width / 2 - 18} ${height / 2} h36 M${width / 2} ${height / 2 - 18} v36"/>
    </g>
    <text x="24" y="${height - 24}" font-family="sans-serif" font-size="26" fill="#ffffff">${position.lat.toFixed(6)}, ${position.lng.toFixed(6)}, ${flightAltitude} m</text>
  </svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer();
}
