import { startObjects } from "../../../laptop/servers/objects";

/** The laptop's object store in a process of its own, for whoever wants to kill it. */
startObjects({
  folder: process.env.STORE_FOLDER as string,
  port: Number(process.env.STORE_PORT),
  buckets: ["fleet", "fleet-vpn"],
}).then(() => process.stdout.write("the store is ready\n"));
process.on("disconnect", () => process.exit());
