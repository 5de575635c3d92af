import { planeNames, planes } from "../../domain/tunnel-planes";
import type { TunnelUserspaceConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { type Os, realOs } from "../os/os";
import { SupervisedProcess } from "../os/supervised-process";
import { lacksWireGuard } from "./interface";

const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;
/** Packets go before whatever else this node computes, the daemon's own looks included. */
const PACKETS_NICENESS = -10;

/**
 * Run `wireguard-go` for both planes, so that tunnels outlive the daemon, which finds the interfaces and sets
 * them up. With `auto`, a kernel that has WireGuard leaves nothing to do, and this only waits to be stopped.
 */
export async function startUserspace(
  { LOG_LEVEL, SHUTDOWN_DRAIN_SECONDS, TUNNEL_DATAPLANE }: TunnelUserspaceConfig,
  os: Os = realOs,
): Promise<{ lifecycle: Lifecycle; log: Logger }> {
  const log = createLogger("userspace", LOG_LEVEL);
  const lifecycle = new Lifecycle(log, SHUTDOWN_DRAIN_SECONDS * 1000);
  const isNeeded =
    TUNNEL_DATAPLANE === "wireguard-go" || (TUNNEL_DATAPLANE === "auto" && !(await kernelHasWireGuard(os)));
  if (!isNeeded) {
    log.info({ dataplane: TUNNEL_DATAPLANE }, "No wireguard-go is needed here");
    const idle = setInterval(() => {}, 2 ** 30);
    lifecycle.onClose("idle", () => clearInterval(idle));
  } else {
    for (const name of planeNames) {
      const supervised = superviseWireguardGo(planes[name].interface, log);
      lifecycle.onClose(planes[name].interface, () => supervised.stop());
    }
  }
  lifecycle.ready();
  return { lifecycle, log };
}

/** By making an interface that nobody uses, as the daemon would make its own. */
async function kernelHasWireGuard(os: Os): Promise<boolean> {
  const name = "fleet-try";
  try {
    await os.run(["ip", "link", "add", name, "type", "wireguard"]);
  } catch (error) {
    if (lacksWireGuard(error)) return false;
    throw error;
  }
  await os.run(["ip", "link", "delete", name]);
  return true;
}

function superviseWireguardGo(name: string, log: Logger): SupervisedProcess {
  return new SupervisedProcess(["wireguard-go", name], {
    spawn: {
      env: { ...process.env, WG_PROCESS_FOREGROUND: "1" },
      stdio: ["ignore", "ignore", "inherit"],
    },
    firstMs: RETRY_MS,
    maxMs: RETRY_MAX_MS,
    niceness: PACKETS_NICENESS,
    onStart: (pid) => log.info({ interface: name, pid }, "Started wireguard-go"),
    onEnd: (end) => log.error({ interface: name, ...end }, "The process wireguard-go ended; restarting it"),
  });
}
