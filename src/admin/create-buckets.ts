import { createBucketsConfig, loadConfig } from "../platform/config";
import { ensureBuckets } from "../platform/objects/buckets";
import { openObjects } from "../platform/objects/client";
import { SETUP_WAIT_SECONDS } from "../platform/retry";
import type { AdminCommand } from "./command";

export const command: AdminCommand = {
  usage: "create-buckets",
  summary: "Create S3_BUCKET and S3_VPN_BUCKET in the object store if they are missing.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(createBucketsConfig);
    const objects = openObjects(config);
    try {
      const names = [config.S3_BUCKET, config.S3_VPN_BUCKET];
      const made = await ensureBuckets(objects, names, SETUP_WAIT_SECONDS);
      process.stdout.write(made.map((name) => `made ${name}\n`).join("") || "both buckets are there\n");
    } finally {
      objects.destroy();
    }
  },
};
