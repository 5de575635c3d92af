import { createHash } from "node:crypto";
import sharp from "sharp";
import { eventually } from "../../platform/eventually";
import type { ApiClient } from "../api-client";

interface Drone {
  readonly id: number;
  readonly ip: string;
}

/**
 * Take a picture of the ground and bring it in as the camera of a drone does: identified by its address, into the
 * execution that is under way.
 */
export async function takePicture(api: ApiClient, droneId: number): Promise<void> {
  const drones = await api.get<readonly Drone[]>("/drones");
  const ip = drones.find(({ id }) => id === droneId)?.ip;
  if (!ip) throw new Error(`Drone ${droneId} has no address by which the gateway identifies it.`);
  const drone = api.as({ "X-Drone-IP": ip });
  const execution = await eventually("The execution of this flight", async () => {
    const { data } = await drone.get<{ data: { id: number } | null }>("/executions/current");
    return data;
  });
  const picture = await drawn();
  const { asset_id, url } = await drone.post<{ asset_id: number; url: string }>("/authenticate_upload", {
    file_name: "from-above.jpg",
    asset_type: "image",
    mime_type: "image/jpeg",
    checksum: createHash("sha256").update(picture).digest("hex"),
    size: picture.length,
    execution_id: execution.id,
  });
  const stored = await fetch(url, { method: "PUT", body: new Uint8Array(picture) });
  if (!stored.ok) throw new Error(`The store answered ${stored.status} to the picture.`);
  await drone.post("/complete_upload", { asset_id });
}

/** A green field from above. */
const drawn = (): Promise<Buffer> =>
  sharp({ create: { width: 1280, height: 960, channels: 3, background: "#5d7f3a" } })
    .jpeg()
    .toBuffer();
