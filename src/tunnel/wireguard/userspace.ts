import { type ChildProcess, spawn } from "node:child_process";
import { planeNames, planes } from "../../domain/tunnel-planes";
import type { TunnelUserspaceConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { type Os, realOs } from "../os/os";
import { setProcessPriority } from "../os/priority";
import { lacksWireGuard } from "./interface";

const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;
/** Packets go before whatever else this node computes, the daemon's own looks included. */
const PACKETS_NICENESS = -10;
/** One that ran so long did not fail at its start. */
const SOUND_MS = 10_000;

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
    log.info({ dataplane: TUNNEL_DATAPLANE }, "wireguard-go is not needed here");
    const idle = setInterval(() => {}, 2 ** 30);
    lifecycle.onClose("idle", () => clearInterval(idle));
  } else {
    for (const name of planeNames) {
      const kept = new KeptProcess(planes[name].interface, log);
      lifecycle.onClose(planes[name].interface, () => kept.stop());
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

/** A `wireguard-go` that is started again whenever it ends. running → waiting → running → … → stopped. */
class KeptProcess {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private retryMs = RETRY_MS;
  private stopped = false;

  constructor(
    private readonly networkInterface: string,
    private readonly log: Logger,
  ) {
    this.start();
  }

  /** Resolves when it has ended, and its interface with it. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  private start(): void {
    const startedAt = performance.now();
    const child = spawn("wireguard-go", [this.networkInterface], {
      env: { ...process.env, WG_PROCESS_FOREGROUND: "1" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.child = child;
    if (child.pid !== undefined) setProcessPriority(child.pid, PACKETS_NICENESS);
    let why: unknown = "it ended";
    child.once("error", (error) => {
      why = error.message;
    });
    // Comes after a failed start too.
    child.once("close", (code, signal) => {
      if (this.stopped) return;
      if (performance.now() - startedAt > SOUND_MS) this.retryMs = RETRY_MS;
      const { networkInterface, retryMs } = this;
      this.log.error(
        { interface: networkInterface, why, code, signal, retry_ms: retryMs },
        "wireguard-go ended; restarting it",
      );
      this.timer = setTimeout(() => this.start(), retryMs);
      this.retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    });
    this.log.info({ interface: this.networkInterface, pid: child.pid }, "wireguard-go was started");
  }
}
