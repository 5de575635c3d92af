import { join } from "node:path";
import { freePort } from "../../src/laptop/free-port";
import { startServerProcess } from "../../src/laptop/servers/server-process";
import { atEndOfFile } from "../../src/testing";

/** The MinIO that STORE_SERVER names, with data in this folder, until the test file ends. Returns its URL. */
export async function startMinio(folder: string, env: Record<string, string>): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`;
  const server = await startServerProcess({
    name: "MinIO",
    command: process.env.STORE_SERVER ?? "minio",
    args: ["server", join(folder, "data"), "--address", address],
    readyText: "API:",
    stopSignal: "SIGTERM",
    options: { env: { ...process.env, ...env, HOME: folder } },
  });
  atEndOfFile(() => server.stop());
  return `http://${address}`;
}
