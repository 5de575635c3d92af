import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "./log";

type Step = {
  readonly name: string;
  readonly run: () => Promise<unknown> | unknown;
};

/** Least time of each step of closing, also after the drain has used up the limit: leases are released and files written there. */
const CLOSE_MS = 500;

/**
 * The life of one process: starting → ready ⇄ standby → draining → stopped.
 *
 * starting:  not yet able to serve; `/readyz` says 503.
 * ready:     serving.
 * standby:   able to serve, while another process does in its place; `/readyz` says 503.
 * draining:  takes nothing new, finishes what it holds; `/readyz` says 503.
 * stopped:   everything closed, in the reverse order of its opening.
 *
 * The first SIGTERM or SIGINT drains; a second one, or the drain limit, ends the process at once.
 */
export class Lifecycle {
  private current: "starting" | "ready" | "standby" | "draining" | "stopped" = "starting";
  private readonly drains: Step[] = [];
  private readonly closes: Step[] = [];
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly log: Logger,
    private readonly drainLimitMs: number,
  ) {}

  get state() {
    return this.current;
  }

  ready(): void {
    if (this.current === "starting" || this.current === "standby") this.current = "ready";
  }

  standBy(): void {
    if (this.current === "starting" || this.current === "ready") this.current = "standby";
  }

  /** Run when the stop begins, all at once: stop accepting, finish open work. */
  onDrain(name: string, run: Step["run"]): void {
    this.drains.push({ name, run });
  }

  /** Run after the drain, last opened first. */
  onClose(name: string, run: Step["run"]): void {
    this.closes.unshift({ name, run });
  }

  /** Drain within the limit, then close, each step in what is left of it or in half a second. Safe to call twice; the second caller gets the same promise. */
  stop(reason: string): Promise<void> {
    this.stopping ??= this.runStop(reason);
    return this.stopping;
  }

  private async runStop(reason: string): Promise<void> {
    this.current = "draining";
    this.log.info({ reason }, "Draining");
    const limit = delay(this.drainLimitMs, undefined, { ref: false });
    await Promise.race([Promise.all(this.drains.map((step) => this.attempt(step))), limit]);
    for (const step of this.closes) {
      const stepLimit = Promise.all([limit, delay(CLOSE_MS, undefined, { ref: false })]);
      await Promise.race([this.attempt(step), stepLimit]);
    }
    this.current = "stopped";
    this.log.info("Stopped");
  }

  private async attempt({ name, run }: Step): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, step: name }, "A step of the stop failed");
    }
  }
}

/** Tie a process to its signals, and to its parent when it was forked: an orphan stops by itself. */
export function stopOnSignals(lifecycle: Lifecycle, log: Logger): void {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) {
      log.warn({ reason }, "Stopped at once on the second signal");
      process.exit(1);
    }
    stopping = true;
    void lifecycle.stop(reason).then(() => process.exit(0));
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("disconnect", () => stop("the parent process is gone"));
}

/** Run an entrypoint. An error at start is printed on one line and ends the process with status 1. */
export function runProcess(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n`);
    process.exit(1);
  });
}
