import { freePort } from "../../laptop/free-port";
import { startServerProcess } from "../../laptop/servers/server-process";
import { atEndOfFile } from "../clean-up";

/** Starts moto, which speaks AWS's APIs, for one test file. Returns its URL. Needs `npm run test:peers`. */
export async function freshMoto(): Promise<string> {
  const port = await freePort();
  const moto = await startServerProcess({
    name: "moto",
    command: process.env.PEERS_PYTHON ?? "python3",
    args: ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)],
    readyText: "Running on",
    readyWithinMs: 60_000,
    stopSignal: "SIGTERM",
  });
  atEndOfFile(() => moto.stop());
  return `http://127.0.0.1:${port}`;
}
