import { redisPort } from "../../domain/edge-ports";
import type { PublishComposeConfig } from "../../platform/config";
import type { ObjectStore } from "../../platform/objects/object-store";
import { version } from "../../platform/process/version";
import { composeFile, composeKey, vehicleTypes } from "./compose-file";

/** `REPOSITORY` comes from the reply of `/drone/activate`. */
const OUR_IMAGE = `\${REPOSITORY:?set REPOSITORY in .env}/fleet-onboard:${version}`;

/** Uploads the compose file of each vehicle type, which `/drone/activate` presigns. Returns the objects' keys. */
export async function publishCompose(
  store: Pick<ObjectStore, "write">,
  { EDGE_PORT: edgePort }: Pick<PublishComposeConfig, "EDGE_PORT">,
  image = OUR_IMAGE,
): Promise<string[]> {
  const compose = { image, edgePort, edgeRedisPort: redisPort(edgePort) };
  return Promise.all(
    vehicleTypes.map(async (vehicleType) => {
      const key = composeKey(vehicleType);
      await store.write(key, composeFile(vehicleType, compose), "application/yaml");
      return key;
    }),
  );
}
