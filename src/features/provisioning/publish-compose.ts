import type { ObjectStore } from "../../platform/object-store";
import { type ComposeSettings, composeFile, composeKey, vehicleTypes } from "./compose-file";

/** Put the compose file of each vehicle type where `/drone/activate` presigns it. Returns the objects' keys. */
export async function publishCompose(
  store: Pick<ObjectStore, "write">,
  settings: ComposeSettings,
): Promise<string[]> {
  return Promise.all(
    vehicleTypes.map(async (vehicleType) => {
      const key = composeKey(vehicleType);
      await store.write(key, composeFile(vehicleType, settings), "application/yaml");
      return key;
    }),
  );
}
