import { startObjects } from "../../../laptop/servers/objects";

/** The laptop's object store in its own process, so that a test can kill it. */
startObjects({
  folder: process.env.STORE_FOLDER as string,
  port: Number(process.env.STORE_PORT),
  buckets: ["fleet", "fleet-vpn"],
}).then(() => process.stdout.write("the store is ready\n"));
process.on("disconnect", () => process.exit());
