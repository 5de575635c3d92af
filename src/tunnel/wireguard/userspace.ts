import { type ChildProcess, spawn } from "node:child_process";
import { planeNames, planes } from "../../domain/tunnel-planes";
import type { TunnelUserspaceConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { backoffMs } from "../../platform/retry";
import { type Os, realOs } from "../os/os";
import { setProcessPriority } from "../os/priority";
import { lacksWireGuard } from "./interface";

const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;
/** A process that ran for so long did not fail at its start. */
const SOUND_MS = 10_000;
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
      const supervised = new WireguardGo(planes[name].interface, log);
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

/** `wireguard-go` for one interface, started again whenever it ends. running → waiting → running → … → stopped. */
class WireguardGo {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly log: Logger,
  ) {
    this.start();
  }

  /** Resolves when the process has ended. */
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
    const { name, log } = this;
    const startedAt = performance.now();
    const child = spawn("wireguard-go", [name], {
      env: { ...process.env, WG_PROCESS_FOREGROUND: "1" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.child = child;
    if (child.pid !== undefined) setProcessPriority(child.pid, PACKETS_NICENESS);
    let why = "it ended";
    child.once("error", (error) => {
      why = error.message;
    });
    // Comes after a failed start too.
    child.once("close", (code, signal) => {
      if (this.stopped) return;
      this.failures = performance.now() - startedAt > SOUND_MS ? 1 : this.failures + 1;
      const retryMs = backoffMs(this.failures, RETRY_MS, RETRY_MAX_MS);
      const end = { why, code, signal, retry_ms: retryMs };
      log.error({ interface: name, ...end }, "The process wireguard-go ended; restarting it");
      this.timer = setTimeout(() => this.start(), retryMs);
    });
    log.info({ interface: name, pid: child.pid }, "Started wireguard-go");
  }
}
