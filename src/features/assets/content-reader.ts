import { once } from "node:events";
import { join } from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { DomainError } from "../../domain/errors";
import { type BucketSettings, ObjectReplaced, type ObjectVersion } from "../../platform/objects/object-store";
import { program } from "../../platform/process/program";
import type { Content } from "./content-check";

export interface ContentRequest {
  readonly key: string;
  readonly version: ObjectVersion;
  /** For the reply. */
  readonly port: MessagePort;
}

export type ContentReply =
  | { readonly content: Content }
  | { readonly error: string; readonly isReplaced: boolean };

const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Reads and hashes uploads in one thread, which requests them from the store itself: the event loop serves others. */
export class ContentReader {
  private running: Worker | undefined;

  constructor(private readonly settings: BucketSettings) {}

  /** Rejects with `ObjectReplaced` when the store holds another version, and with `unavailable` when it fails. */
  async read(key: string, version: ObjectVersion): Promise<Content> {
    this.running ??= this.startThread();
    const { port1: answer, port2: port } = new MessageChannel();
    this.running.postMessage({ key, version, port } satisfies ContentRequest, [port]);
    const replied = once(answer, "message");
    const ended = once(answer, "close").then(() => [
      { error: "The thread that reads uploads ended.", isReplaced: false },
    ]);
    const [reply]: ContentReply[] = await Promise.race([replied, ended]);
    answer.close();
    if (reply && "content" in reply) return reply.content;
    if (reply?.isReplaced) throw new ObjectReplaced(reply.error);
    throw new DomainError("unavailable", "The object store does not answer; try again shortly.", {
      cause: new Error(reply?.error),
    });
  }

  /** After its end the next request starts another one. */
  private startThread(): Worker {
    const { file, execArgv } = program(join(__dirname, "content-thread"));
    const thread = new Worker(file, {
      workerData: this.settings,
      resourceLimits: LIMITS,
      execArgv,
    });
    const forget = () => {
      if (this.running === thread) this.running = undefined;
    };
    // Each reply has its own port, which keeps the process running meanwhile.
    thread.on("error", forget).on("exit", forget).unref();
    return thread;
  }
}
