import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { assertPortIsFree, freePort } from "../free-port";
import { endLeftover } from "./leftover";
import { type ServerProcess, startServerProcess } from "./server-process";

export interface RedisOptions {
  /** Absolute. Working folder of the server; with `durable`, its append-only file is here. */
  readonly folder: string;
  /** A free one when absent. */
  readonly port?: number;
  /** Keep the data between starts. */
  readonly durable: boolean;
}

export interface EmbeddedRedis extends ServerProcess {
  readonly url: string;
  readonly port: number;
}

/** The system's redis-server on 127.0.0.1. A server left over in the folder is ended first. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  mkdirSync(options.folder, { recursive: true });
  const pidFile = join(options.folder, "redis.pid");
  await endLeftover(pidFile, options.folder, "SIGTERM");
  if (options.port) await assertPortIsFree(options.port, "Redis");
  const port = options.port ?? (await freePort());
  const settings = {
    bind: "127.0.0.1",
    port: String(port),
    dir: options.folder,
    pidfile: pidFile,
    save: "",
    appendonly: options.durable ? "yes" : "no",
    // As in the chart.
    "client-output-buffer-limit": ["pubsub", "16mb", "4mb", "10"],
    "maxmemory-clients": "128mb",
  };
  const server = await startServerProcess({
    name: "Redis",
    command: "redis-server",
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, ...[value].flat()]),
    readyText: "Ready to accept connections",
    stopSignal: "SIGTERM",
    options: { env: process.env },
    missing: "redis-server is not installed. On Debian and Ubuntu: apt-get install redis-server",
  });
  return { ...server, url: `redis://127.0.0.1:${port}`, port };
}
