import { spawn } from "node:child_process";
import type { Logger } from "../platform/process/log";

const COMMAND_TIMEOUT_MS = 30_000;
/** Messages that wait for the command; the oldest are dropped first. */
const MAX_WAITING = 16;

/**
 * Passes video messages to the pipeline: the shell runs `command` once for each message, one at a time in their order,
 * with the topic in VIDEO_TOPIC and the message, JSON, on its standard input.
 */
export class VideoHook {
  private readonly waiting: { topic: string; text: string }[] = [];
  private busy = false;

  constructor(
    private readonly command: string | undefined,
    private readonly log: Logger,
    private readonly onDone: (topic: string, ok: boolean, detail: string) => void,
  ) {}

  run(topic: string, text: string): void {
    if (!this.command) {
      this.log.info({ topic }, "Ignored a video message: ONBOARD_VIDEO_COMMAND is not set");
      this.onDone(topic, false, "no video pipeline is configured");
      return;
    }
    this.waiting.push({ topic, text });
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    if (!this.busy) void this.runAll(this.command);
  }

  private async runAll(command: string): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const fault = await runCommand(command, next);
      if (fault) this.log.error({ topic: next.topic, fault }, "The video command failed");
      this.onDone(next.topic, fault === undefined, fault ?? "taken");
    }
    this.busy = false;
  }
}

/** Resolves with the failure, if any. The message contains a room's password, so it is not an argument. */
function runCommand(command: string, message: { topic: string; text: string }): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Without pipes for its output, which a pipeline left in the background would keep open.
    const child = spawn("sh", ["-c", command], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, VIDEO_TOPIC: message.topic },
      timeout: COMMAND_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `ended by ${signal ?? code}`));
    child.stdin.on("error", () => {});
    child.stdin.end(message.text);
  });
}
