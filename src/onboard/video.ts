import { spawn } from "node:child_process";
import type { Logger } from "../platform/process/log";

/** What concerns the video pipeline, each on a channel of the drone's. */
export const VIDEO_TOPICS = ["video_source", "video_room_details", "video_room_state"] as const;

const LONGEST_MS = 30_000;
/** Messages that may wait for the command; a newer one pushes the oldest out. */
const MOST_WAITING = 16;

/**
 * Hands video messages to whatever makes the video: `command` is run by the shell once a message, one at a time
 * in their order, with the topic in VIDEO_TOPIC and the message, JSON, on its standard input.
 */
export class VideoHook {
  private readonly waiting: { topic: string; text: string }[] = [];
  private busy = false;

  constructor(
    private readonly command: string | undefined,
    private readonly log: Logger,
    /** Told when a message has been dealt with. */
    private readonly done: (topic: string, ok: boolean, detail: string) => void,
  ) {}

  take(topic: string, text: string): void {
    if (!this.command) {
      this.log.info({ topic }, "a video message, and no ONBOARD_VIDEO_COMMAND to hand it to");
      this.done(topic, false, "no video pipeline is configured");
      return;
    }
    this.waiting.push({ topic, text });
    if (this.waiting.length > MOST_WAITING) this.waiting.shift();
    if (!this.busy) void this.work(this.command);
  }

  private async work(command: string): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const fault = await run(command, next);
      if (fault) this.log.error({ topic: next.topic, fault }, "the video command failed");
      this.done(next.topic, fault === undefined, fault ?? "taken");
    }
    this.busy = false;
  }
}

/** Resolves with what went wrong. The message goes by standard input: a room's password is in it. */
function run(command: string, { topic, text }: { topic: string; text: string }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, VIDEO_TOPIC: topic },
      timeout: LONGEST_MS,
      killSignal: "SIGKILL",
    });
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `ended by ${signal ?? code}`));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
