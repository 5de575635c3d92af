import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { planeNames, planes } from "../../domain/tunnel-planes";
import type { TunnelGuardConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { type Os, realOs } from "../os/os";
import { removeInterface } from "../wireguard/interface";
import { monotonicMs } from "./lease";
import { LeaseFile, type LeaseFileContents } from "./lease-file";

const LOOK_EVERY_MS = 50;
const LIVENESS_EVERY_MS = 1_000;

export interface LeaseGuardOptions {
  readonly leaseFile: { read(): Pick<LeaseFileContents, "until" | "by"> | undefined };
  /** Names of the node's interfaces that are up. */
  readonly upInterfaces: () => readonly string[];
  readonly os: Os;
  readonly now: () => number;
  readonly log: Logger;
  /** Process id of the daemon that this belongs to; without one it guards whichever daemon there is. */
  readonly daemon: number | undefined;
  readonly isDaemonThere: () => boolean;
  /** Its daemon has ended, and either nothing is left to guard or the next daemon has its own guard. */
  readonly onDone: () => void;
  /** Writes the file whose age the liveness probe checks. */
  readonly touch: () => void;
}

/**
 * Fences a hub that holds a lease: removes both planes' interfaces as soon as the lease has expired, whatever the daemon
 * does, and again when a daemon that was paused creates them after that.
 */
export class LeaseGuard {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private lastError = "";
  private liveAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: LeaseGuardOptions) {}

  start(): void {
    void this.look();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const { leaseFile, now, daemon, isDaemonThere, onDone } = this.options;
    const granted = leaseFile.read();
    const isOver = granted === undefined || now() >= granted.until;
    const raised = isOver ? this.raised() : [];
    for (const name of raised) await this.shut(name);
    const isLeft = daemon !== undefined && !isDaemonThere();
    const isSucceeded = granted !== undefined && granted.by !== daemon;
    if (isLeft && (isSucceeded || (isOver && raised.length === 0))) {
      this.stop();
      onDone();
    }
    if (now() - this.liveAt >= LIVENESS_EVERY_MS) {
      this.liveAt = now();
      this.options.touch();
    }
    if (!this.stopped) this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS);
  }

  private raised(): string[] {
    const up = new Set(this.options.upInterfaces());
    return planeNames.map((name) => planes[name].interface).filter((name) => up.has(name));
  }

  private async shut(name: string): Promise<void> {
    const { os, log } = this.options;
    try {
      await removeInterface(os, name);
      log.warn({ interface: name }, "Removed an interface: the hub's lease has expired");
      this.lastError = "";
    } catch (error) {
      const message = String(error);
      if (message !== this.lastError)
        log.error({ err: error }, "Cannot remove an interface after the hub's lease expired");
      this.lastError = message;
    }
  }
}

/** `tunnel --guard [PID]`: runs until it gets a signal, or until the daemon with that pid no longer needs it. */
export function startLeaseGuard(
  { HUB_LEASE_PATH, LOG_LEVEL, SHUTDOWN_DRAIN_SECONDS }: TunnelGuardConfig,
  daemon?: number,
): { lifecycle: Lifecycle; log: Logger } {
  const log = createLogger("guard", LOG_LEVEL);
  const lifecycle = new Lifecycle(log, SHUTDOWN_DRAIN_SECONDS * 1000);
  const guard = new LeaseGuard({
    leaseFile: new LeaseFile(HUB_LEASE_PATH),
    // Those with an address, which a plane has before it goes up.
    upInterfaces: () => Object.keys(networkInterfaces()),
    os: realOs,
    now: monotonicMs,
    log,
    daemon,
    isDaemonThere: () => daemon !== undefined && isThere(daemon),
    onDone: () => void lifecycle.stop("its daemon is gone"),
    touch: () => {
      try {
        writeFileSync(join(dirname(HUB_LEASE_PATH), "guard.alive"), "");
      } catch (error) {
        log.warn({ err: error }, "Cannot write the lease guard's liveness file; the lease guard goes on");
      }
    },
  });
  lifecycle.onClose("guard", () => guard.stop());
  guard.start();
  lifecycle.ready();
  return { lifecycle, log };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
