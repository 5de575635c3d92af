import { startObjects } from "../../src/laptop/servers/objects";

/** The object store in a process of its own, as it is in life. Ends with its parent. */
async function main(): Promise<void> {
  const server = await startObjects({ folder: process.argv[2] as string, buckets: ["fleet"] });
  process.on("disconnect", () => void server.stop().finally(() => process.exit(0)));
  process.send?.(server.url);
}

void main();
