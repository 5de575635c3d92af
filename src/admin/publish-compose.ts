import { publishCompose } from "../features/provisioning";
import { loadConfig, publishComposeConfig } from "../platform/config";
import { ObjectStore } from "../platform/objects/object-store";
import type { AdminCommand } from "./command";

export const command: AdminCommand = {
  usage: "publish-compose",
  summary:
    "Write the compose files of drones' activations to the object store, also over existing ones. Needs the S3_ variables, not the database.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(publishComposeConfig);
    const store = new ObjectStore(config);
    try {
      for (const key of await publishCompose(store, config)) process.stdout.write(`published ${key}\n`);
    } catch (error) {
      // The store's message names no bucket.
      const { message } = error as Error;
      throw new Error(`The bucket "${config.S3_BUCKET}" takes no compose file: ${message}`, { cause: error });
    } finally {
      store.close();
    }
  },
};
