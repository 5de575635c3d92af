import { Worker } from "node:worker_threads";
import { DomainError } from "../../domain/errors";
import { type BucketSettings, ObjectReplaced, type ObjectVersion } from "../../platform/objects/object-store";
import type { Content } from "./content-check";

export interface ContentRequest {
  readonly id: number;
  readonly key: string;
  readonly version: ObjectVersion;
}

export type ContentReply =
  | { readonly id: number; readonly content: Content }
  | { readonly id: number; readonly error: string; readonly isReplaced: boolean };

interface Waiting {
  resolve(content: Content): void;
  reject(error: Error): void;
}

const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Reads and hashes uploads in one thread, which requests them from the store itself: the event loop serves others. */
export class ContentReader {
  private thread: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private requests = 0;

  constructor(private readonly settings: BucketSettings) {}

  /** Rejects with `ObjectReplaced` when the store holds another version, and with `unavailable` when it fails. */
  read(key: string, version: ObjectVersion): Promise<Content> {
    this.thread ??= this.startThread();
    const id = this.requests++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.thread?.ref();
      this.thread?.postMessage({ id, key, version } satisfies ContentRequest);
    });
  }

  private startThread(): Worker {
    const isFromSource = __filename.endsWith(".ts");
    const thread = new Worker(require.resolve(`./content-thread.${isFromSource ? "ts" : "js"}`), {
      workerData: this.settings,
      resourceLimits: LIMITS,
      execArgv: isFromSource ? ["--require", "@swc-node/register"] : [],
    });
    thread.on("message", (message: ContentReply) => this.settle(message));
    thread.on("error", (error) => this.fail(thread, error));
    thread.on("exit", () => this.fail(thread, new Error("The thread that reads uploads ended.")));
    return thread;
  }

  private settle(message: ContentReply): void {
    const asked = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (this.waiting.size === 0) this.thread?.unref();
    if ("content" in message) asked?.resolve(message.content);
    else asked?.reject(message.isReplaced ? new ObjectReplaced(message.error) : unread(message.error));
  }

  /** The next request starts another thread. */
  private fail(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = undefined;
    for (const { reject } of this.waiting.values()) reject(unread(error.message));
    this.waiting.clear();
  }
}

const unread = (detail: string) =>
  new DomainError("unavailable", "The object store does not answer; try again shortly.", {
    cause: new Error(detail),
  });
