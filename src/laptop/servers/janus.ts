import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertPortIsFree, freePort } from "../free-port";
import { endLeftover } from "./leftover";
import { type ServerProcess, startServerProcess } from "./server-process";

interface JanusServerOptions {
  /** Absolute. Its configuration is written here; it keeps nothing else. */
  readonly folder: string;
  /** A free one when absent. */
  readonly port?: number;
  /** Required of every request when given. */
  readonly apiSecret?: string;
  /** Required to make a room. */
  readonly adminKey: string;
}

export interface JanusServer extends ServerProcess {
  /** Base of its HTTP API. */
  readonly url: string;
  readonly port: number;
}

/** The system's Janus with HTTP on 127.0.0.1: transports without a configuration do not start. One left over in the folder is ended first. */
export async function startJanus(options: JanusServerOptions): Promise<JanusServer> {
  const { folder, apiSecret, adminKey } = options;
  mkdirSync(folder, { recursive: true });
  const pidFile = join(folder, "janus.pid");
  await endLeftover(pidFile, folder, "SIGTERM");
  if (options.port) await assertPortIsFree(options.port, "Janus");
  const port = options.port ?? (await freePort());
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write(
    "janus.jcfg",
    [
      "general: {",
      `  configs_folder = ${quoted(folder)}`,
      ...(apiSecret === undefined ? [] : [`  api_secret = ${quoted(apiSecret)}`]),
      "  log_to_stdout = true",
      "  debug_colors = false",
      "}",
      "",
    ].join("\n"),
  );
  write(
    "janus.transport.http.jcfg",
    `general: { base_path = "/janus", http = true, port = ${port}, ip = "127.0.0.1", https = false }\n` +
      "admin: { admin_http = false }\n",
  );
  write("janus.plugin.videoroom.jcfg", `general: { admin_key = ${quoted(adminKey)} }\n`);
  const server = await startServerProcess({
    name: "Janus",
    command: "janus",
    args: ["-F", folder, "-C", join(folder, "janus.jcfg")],
    readyText: "REST (HTTP/HTTPS) transport plugin initialized!",
    stopSignal: "SIGTERM",
    options: { env: process.env },
    missing: "janus is not installed. On Debian and Ubuntu: apt-get install janus",
  });
  writeFileSync(pidFile, `${server.pid}\n`);
  return { ...server, url: `http://127.0.0.1:${port}/janus`, port };
}

/** A string of libconfig. */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
