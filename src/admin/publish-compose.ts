import { publishCompose } from "../features/provisioning";
import { loadConfig, publishComposeConfig } from "../platform/config";
import { ObjectStore } from "../platform/object-store";
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
    } finally {
      store.close();
    }
  },
};
