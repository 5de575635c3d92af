import { publishCompose } from "../features/provisioning";
import { loadConfig, publishComposeConfig } from "../platform/config";
import { ObjectStore } from "../platform/objects/object-store";
import type { AdminCommand } from "./command";

export const publishComposeCommand: AdminCommand = {
  usage: "publish-compose",
  summary:
    "Put the compose files that drones are activated with into the object store, or put them there anew. Needs the S3_ variables, not the database.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(publishComposeConfig);
    const store = new ObjectStore(config);
    try {
      for (const key of await publishCompose(store, config)) process.stdout.write(`published ${key}\n`);
    } catch (error) {
      // The store's own words name no bucket.
      const { message } = error as Error;
      throw new Error(`The bucket "${config.S3_BUCKET}" takes no compose file: ${message}`, { cause: error });
    } finally {
      store.close();
    }
  },
};
