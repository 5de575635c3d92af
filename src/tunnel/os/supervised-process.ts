import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { backoffMs } from "../../platform/retry";
import { setProcessPriority } from "./priority";

/** A process that ran for so long did not fail at its start. */
const SOUND_MS = 10_000;

interface SupervisedProcessOptions {
  readonly spawn: SpawnOptions;
  /** Pauses before a restart: after the first end, and at most. */
  readonly firstMs: number;
  readonly maxMs: number;
  readonly niceness?: number;
  readonly onStart?: (pid: number | undefined) => void;
  readonly onEnd: (end: {
    why: unknown;
    code: number | null;
    signal: string | null;
    retry_ms: number;
  }) => void;
}

/** A process that is started again whenever it ends. running → waiting → running → … → stopped. */
export class SupervisedProcess {
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private stopped = false;

  /** `command`: program and arguments. */
  constructor(
    private readonly command: readonly string[],
    private readonly options: SupervisedProcessOptions,
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
    const { firstMs, maxMs, niceness, onStart, onEnd } = this.options;
    const startedAt = performance.now();
    const [program, ...args] = this.command;
    const child = spawn(program as string, args, this.options.spawn);
    this.child = child;
    if (this.options.spawn.detached) child.unref();
    if (child.pid !== undefined && niceness !== undefined) setProcessPriority(child.pid, niceness);
    let why: unknown = "it ended";
    child.once("error", (error) => {
      why = error.message;
    });
    // Comes after a failed start too.
    child.once("close", (code, signal) => {
      if (this.stopped) return;
      this.failures = performance.now() - startedAt > SOUND_MS ? 1 : this.failures + 1;
      const retryMs = backoffMs(this.failures, firstMs, maxMs);
      onEnd({ why, code, signal, retry_ms: retryMs });
      this.timer = setTimeout(() => this.start(), retryMs);
    });
    onStart?.(child.pid);
  }
}
