import { createHash } from "node:crypto";
import sharp from "sharp";
import { FleetClient, reply } from "../../client/client";
import { eventually } from "../../platform/eventually";

/**
 * Take a picture of the ground and bring it in as the camera of a drone does: identified by its address, into the
 * execution that is under way.
 */
export async function takePicture({ api, origin }: FleetClient, droneId: number): Promise<void> {
  const drones = await reply(api.GET("/drones"));
  const ip = drones.find(({ id }) => id === droneId)?.ip;
  if (!ip) throw new Error(`Drone ${droneId} has no address by which the gateway identifies it.`);
  const drone = new FleetClient(origin, { headers: { "X-Drone-IP": ip } });
  const execution = await eventually("The execution of this flight", async () => {
    const { data } = await reply(drone.api.GET("/executions/current"));
    return data;
  });
  const picture = await drawn();
  const upload = {
    file_name: "from-above.jpg",
    asset_type: "image",
    mime_type: "image/jpeg",
    checksum: createHash("sha256").update(picture).digest("hex"),
    size: picture.length,
    execution_id: execution.id,
  } as const;
  const { asset_id, url } = await reply(drone.api.POST("/authenticate_upload", { body: upload }));
  const stored = await fetch(url, { method: "PUT", body: new Uint8Array(picture) });
  if (!stored.ok) throw new Error(`The store answered ${stored.status} to the picture.`);
  await reply(drone.api.POST("/complete_upload", { body: { asset_id } }));
}

/** A green field from above. */
const drawn = (): Promise<Buffer> =>
  sharp({ create: { width: 1280, height: 960, channels: 3, background: "#5d7f3a" } })
    .jpeg()
    .toBuffer();
