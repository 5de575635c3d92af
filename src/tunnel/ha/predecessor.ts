import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Logger } from "../../platform/process/log";

/** How often a hub looks whether the one before it on its node has ended. */
const AGAIN_MS = 100;
const ANSWER_MS = 1_000;

const Readiness = z.object({ status: z.enum(["starting", "ready", "standby", "draining"]) });

/**
 * The hub that serves on this node, which this one is to replace: unknown → awaited → ended. While this one waits for it
 * there is a file `waiting` beside the file at `leasePath`: this one has no port yet on which a probe could ask it, and
 * counts as ready, or an upgrade would never end the one before.
 */
export class Predecessor {
  private state: "unknown" | "awaited" | "ended" = "unknown";
  private readonly file: string;

  constructor(
    leasePath: string,
    private readonly log: Logger,
  ) {
    this.file = join(dirname(leasePath), "waiting");
  }

  /**
   * To be called for as long as it is there; resolves when it is time to look again. After its end Postgres may still keep
   * this hub's own lock of a connection that was lost: this one serves meanwhile, and nothing says that it waits.
   */
  async wait(): Promise<void> {
    if (this.state === "unknown") {
      this.state = "awaited";
      this.log.info("Waiting for this node's hub to end, which this one replaces");
      this.mark(() => {
        mkdirSync(dirname(this.file), { recursive: true });
        writeFileSync(this.file, "");
      });
    }
    await delay(AGAIN_MS);
  }

  /** Waits while a tunnel answers at this one's address: it has lost the database's lock if its database was away. */
  async awaitPort(url: string): Promise<void> {
    while (await isTunnel(url)) await this.wait();
  }

  /** It has ended, or there was none. */
  hasEnded(): void {
    if (this.state === "awaited") this.mark(() => rmSync(this.file, { force: true }));
    this.state = "ended";
  }

  private mark(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.log.warn({ err: error }, "Cannot tell this pod's probe whether the daemon waits");
    }
  }
}

const isTunnel = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    .then((response) => response.json())
    .then(
      (body) => Readiness.safeParse(body).success,
      () => false,
    );
