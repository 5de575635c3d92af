import { parseArgs } from "node:util";
import { publishCompose } from "../features/provisioning";
import { loadConfig, publishComposeConfig } from "../platform/config";
import { ObjectStore } from "../platform/objects/object-store";
import type { AdminCommand } from "./command";

/** One that Docker can pull, on one line of YAML. */
const IMAGE = /^[\w.$][\w.${}:?/@-]*$/;

export const command: AdminCommand = {
  usage: "publish-compose [--image IMAGE]",
  summary:
    "Write the compose files of drones' activations to the object store, also over existing ones. IMAGE has the agent on board and mavlink-routerd, as drones pull it; `$REPOSITORY` in it is the registry of their login. It is `$REPOSITORY/fleet-onboard` of this version when absent. Needs the S3_ variables, not the database.",

  async run(args) {
    const { image } = parseArgs({ args, options: { image: { type: "string" } } }).values;
    if (image !== undefined && !IMAGE.test(image)) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(publishComposeConfig);
    const store = new ObjectStore(config);
    try {
      for (const key of await publishCompose(store, config, image))
        process.stdout.write(`published ${key}\n`);
    } catch (error) {
      // The store's message names no bucket.
      const { message } = error as Error;
      throw new Error(`The bucket "${config.S3_BUCKET}" takes no compose file: ${message}`, { cause: error });
    } finally {
      store.close();
    }
  },
};
