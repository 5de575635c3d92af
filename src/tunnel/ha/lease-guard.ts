import { statSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { planeNames, planes } from "../../domain/tunnel-planes";
import type { TunnelGuardConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { retry } from "../../platform/retry";
import { type Os, realOs } from "../os/os";
import { removeInterface } from "../wireguard/interface";
import { monotonicMs } from "./lease";
import { LeaseFile, type LeaseFileContents } from "./lease-file";

const LOOK_EVERY_MS = 50;
const LIVENESS_EVERY_MS = 1_000;

export interface LeaseGuardOptions {
  readonly leaseFile: { read(): Pick<LeaseFileContents, "until"> | undefined };
  /** Names of the node's interfaces that are up. */
  readonly upInterfaces: () => readonly string[];
  readonly os: Os;
  readonly now: () => number;
  readonly log: Logger;
  /** Writes the file whose age the daemon and the liveness probe check. */
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
    const { leaseFile, now, touch } = this.options;
    const granted = leaseFile.read();
    const isOver = granted === undefined || now() >= granted.until;
    if (isOver) for (const name of this.raised()) await this.shut(name);
    if (now() - this.liveAt >= LIVENESS_EVERY_MS) {
      this.liveAt = now();
      touch();
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

const signOfLife = (leasePath: string): string => join(dirname(leasePath), "guard.alive");

/** `tunnel --guard`: runs until it gets a signal. */
export function startLeaseGuard({ HUB_LEASE_PATH, LOG_LEVEL, SHUTDOWN_DRAIN_SECONDS }: TunnelGuardConfig): {
  lifecycle: Lifecycle;
  log: Logger;
} {
  const log = createLogger("guard", LOG_LEVEL);
  const lifecycle = new Lifecycle(log, SHUTDOWN_DRAIN_SECONDS * 1000);
  const guard = new LeaseGuard({
    leaseFile: new LeaseFile(HUB_LEASE_PATH),
    // Those with an address, which a plane has before it goes up.
    upInterfaces: () => Object.keys(networkInterfaces()),
    os: realOs,
    now: monotonicMs,
    log,
    touch: () => {
      try {
        writeFileSync(signOfLife(HUB_LEASE_PATH), "");
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

const SIGN_MAX_AGE_MS = 5_000;
/** A guard starts beside the daemon. */
const GUARD_LIMIT_MS = 10_000;

/** Rejects when no guard runs on this node: a daemon that hangs would serve on after its lease. */
export const awaitGuard = (leasePath: string): Promise<void> =>
  retry(
    async () => {
      const { mtimeMs = 0 } = statSync(signOfLife(leasePath), { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs < SIGN_MAX_AGE_MS) return;
      throw new Error(
        `No lease guard runs on this node: \`tunnel --guard\` with HUB_LEASE_PATH=${leasePath}.`,
      );
    },
    { firstMs: 100, limitMs: GUARD_LIMIT_MS },
  );
