import { type ChildProcess, spawn } from "node:child_process";
import type { Logger } from "../../platform/process/log";

const AGAIN_MS = 200;

/**
 * The guard as a process beside the daemon, in a session of its own, so that what stops or kills the daemon leaves
 * it running. running → waiting → running → … → stopped.
 */
export class GuardProcess {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    /** Program and arguments. */
    private readonly command: readonly string[],
    private readonly log: Logger,
  ) {
    this.start();
  }

  /** Once nothing is active any more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.child?.kill("SIGTERM");
  }

  private start(): void {
    const [program, ...args] = this.command;
    const child = spawn(program as string, args, { detached: true, stdio: ["ignore", "inherit", "inherit"] });
    this.child = child;
    child.unref();
    let why: unknown = "it ended";
    child.once("error", (error) => {
      why = error.message;
    });
    child.once("close", (code, signal) => {
      if (this.stopped) return;
      this.log.error({ why, code, signal }, "The guard process ended; restarting it");
      this.timer = setTimeout(() => this.start(), AGAIN_MS);
    });
  }
}
