import type { Socket } from "node:net";
import type { Logger } from "../../platform/process/log";
import { connectRedis, encodeCommand } from "../../platform/redis/resp";
import { backoffMs, retry } from "../../platform/retry";

interface PublisherOptions {
  readonly log: Logger;
  /** The connection is reset when Redis has not replied to a frame for this long. */
  readonly stallMs: number;
  /** The connection is lost; frames without a reply are dropped, never sent late. */
  readonly onDown: () => void;
  /** Seconds from a batch's first frame to its write. */
  readonly delay: { observe(seconds: number): void };
}

interface Ping {
  readonly writtenAt: number;
  readonly onReply: () => void;
}

const BATCH_BYTES = 131_072;
/** Length digits, CRLFs. */
const OVERHEAD_BYTES = 16;
const WATCH_MS = 100;
/** Between two pings while nothing is published. */
const IDLE_PING_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;
const PING = encodeCommand("PING");
const NEWLINE = 10;
const MINUS = 45;
const PLUS = 43;

/**
 * Publishes frames on a connection of its own, in order, all frames of one turn of the event loop in one write.
 *
 * It speaks the protocol itself: a PUBLISH through ioredis costs five times the CPU (a promise, a timer and a system
 * call each), and ioredis sends what it has buffered when a stalled connection resumes, while a stale stick frame must
 * be dropped.
 *
 * connecting → up → connecting → … → stopped.
 */
export class Publisher {
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly watch: NodeJS.Timeout;
  private state: "connecting" | "up" | "stopped" = "connecting";
  private failures = 0;
  private batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
  private filled = 0;
  private firstArrivedAt: number | undefined;
  private scheduled = false;
  private atLineStart = true;
  /** Pings that Redis has not replied to, the oldest first. */
  private readonly pings: Ping[] = [];
  private pingedAt = 0;
  /** Frames were published after the last ping. */
  private published = false;

  constructor(
    private readonly url: string,
    private readonly options: PublisherOptions,
  ) {
    this.watch = setInterval(() => this.checkStall(), WATCH_MS).unref();
    void this.connect();
  }

  get up(): boolean {
    return this.state === "up";
  }

  /** Publishes one frame; `prefix` is `publishTo(channel)`. Only while `up`. */
  publish(prefix: Buffer, frame: Buffer, arrivedAt: number): void {
    this.published = true;
    const size = prefix.length + frame.length + OVERHEAD_BYTES;
    if (this.filled + size > BATCH_BYTES) this.flush();
    let at = this.filled;
    at += prefix.copy(this.batch, at);
    at += this.batch.write(`${frame.length}\r\n`, at, "latin1");
    at += frame.copy(this.batch, at);
    at += this.batch.write("\r\n", at, "latin1");
    this.filled = at;
    this.firstArrivedAt ??= arrivedAt;
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Resolves when Redis has replied to what was published until now, or never will: it replies in order. */
  async answered(): Promise<void> {
    this.flush();
    const { socket } = this;
    if (!socket) return;
    await new Promise<void>((onReply) => {
      this.pingedAt = performance.now();
      this.published = false;
      this.pings.push({ writtenAt: this.pingedAt, onReply });
      socket.write(PING);
    });
  }

  /** Resolves when it is up; rejects after `limitMs`. */
  async ready(limitMs: number): Promise<void> {
    const check = async () => {
      if (!this.up) throw new Error("Redis did not answer in time.");
    };
    await retry(check, { firstMs: 5, limitMs });
  }

  stop(): void {
    this.state = "stopped";
    clearTimeout(this.timer);
    clearInterval(this.watch);
    this.socket?.destroy();
  }

  private flush(): void {
    this.scheduled = false;
    if (this.filled === 0 || !this.socket) return;
    this.socket.write(this.batch.subarray(0, this.filled));
    // Bytes that the kernel has not accepted yet are still read from the batch.
    if (this.socket.writableLength > 0) this.batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.filled = 0;
    if (this.firstArrivedAt !== undefined)
      this.options.delay.observe((performance.now() - this.firstArrivedAt) / 1_000);
    this.firstArrivedAt = undefined;
  }

  private async connect(): Promise<void> {
    try {
      const socket = await connectRedis(this.url);
      if (this.state === "stopped") {
        socket.destroy();
        return;
      }
      this.socket = socket;
      this.atLineStart = true;
      socket.on("data", (replies) => this.readReplies(socket, replies));
      socket.on("error", (error) => this.fail(socket, error));
      socket.on("close", () => this.fail(socket, new Error("Redis closed the connection.")));
      if (this.failures > 0) this.options.log.info("Reconnected to Redis for stick frames");
      this.failures = 0;
      this.state = "up";
    } catch (error) {
      this.retry(error as Error);
    }
  }

  private retry(error: Error): void {
    if (this.state === "stopped") return;
    if (this.failures === 0)
      this.options.log.error({ err: error }, "Lost the Redis connection for stick frames; reconnecting");
    this.timer = setTimeout(() => void this.connect(), backoffMs(++this.failures, 50, RECONNECT_MAX_MS));
  }

  private fail(socket: Socket, error: Error): void {
    if (this.socket !== socket || this.state === "stopped") return;
    this.state = "connecting";
    this.socket = undefined;
    discard(socket);
    this.filled = 0;
    this.firstArrivedAt = undefined;
    for (const { onReply } of this.pings.splice(0)) onReply();
    this.retry(error);
    this.options.onDown();
  }

  private readReplies(socket: Socket, replies: Buffer): void {
    for (let i = 0; i < replies.length; i++) {
      const byte = replies[i];
      if (this.atLineStart && byte === MINUS) {
        const words = replies.toString("latin1", i + 1, i + 200).split("\r")[0];
        this.fail(socket, new Error(`Redis refused a stick frame: ${words}`));
        return;
      }
      if (this.atLineStart && byte === PLUS) this.pings.shift()?.onReply();
      this.atLineStart = byte === NEWLINE;
    }
  }

  /** A stalled connection is worse than none: a lost one closes the sessions, and pilots reconnect. */
  private checkStall(): void {
    const { socket, pings } = this;
    const [oldest] = pings;
    if (!socket) return;
    if (!oldest) {
      if (this.published || performance.now() - this.pingedAt >= IDLE_PING_MS) void this.answered();
    } else if (performance.now() - oldest.writtenAt > this.options.stallMs) {
      // After a pause of this process the replies have yet to be read; that begins before an immediate.
      const { bytesRead } = socket;
      setImmediate(() => {
        if (pings[0] === oldest && socket.bytesRead === bytesRead)
          this.fail(socket, new Error(`Redis has not answered for ${this.options.stallMs} ms.`));
      });
    }
  }
}

/** Closes by a reset, which also drops the kernel's buffer; TLS sockets cannot. */
function discard(socket: Socket): void {
  socket.removeAllListeners("data");
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}
