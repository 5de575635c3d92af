import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
import { connectRedis, encodeCommand } from "../platform/redis/resp";
import { InFlight, type Source } from "./in-flight";
import type { Series } from "./tally";

export interface PublisherOptions {
  readonly log: Logger;
  /** A frame that Redis has not taken for this long is worth nothing any more, and all behind it neither. */
  readonly stallMs: number;
  /** Frames can no longer be delivered; what was on its way is thrown away, never sent late. */
  readonly onDown: () => void;
  /** From a frame's arrival to its PUBLISH being written. */
  readonly residence: Series;
}

const BATCH_BYTES = 131_072;
/** Length digits, CRLFs. */
const OVERHEAD_BYTES = 16;
const WATCH_MS = 100;
const PROBE_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;
const PING = encodeCommand("PING");
const NEWLINE = 10;
const MINUS = 45;

/**
 * Publishes frames on one connection of its own, in order, every turn of the event loop's in one write.
 *
 * It speaks the protocol itself: a PUBLISH through the general client costs five times the CPU (a promise, a
 * timer and a system call each), and that client hands over what it has buffered when a stalled connection
 * wakes, while a stale stick frame must be thrown away.
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
  private readonly arrivals: number[] = [];
  private scheduled = false;
  private atLineStart = true;
  private lastProbeAt = 0;
  readonly inFlight = new InFlight();

  constructor(
    private readonly url: string,
    private readonly options: PublisherOptions,
  ) {
    this.watch = setInterval(() => this.look(performance.now()), WATCH_MS);
    this.watch.unref();
    void this.connect();
  }

  get up(): boolean {
    return this.state === "up";
  }

  /**
   * Publish one frame; `prefix` is `publishTo(channel)`. Only while `up`. The source is paused while Redis owes
   * it too much.
   */
  publish(source: Source, prefix: Buffer, frame: Buffer, arrivedAt: number): void {
    const size = prefix.length + frame.length + OVERHEAD_BYTES;
    if (this.filled + size > BATCH_BYTES) this.flush();
    let at = this.filled;
    at += prefix.copy(this.batch, at);
    at += this.batch.write(`${frame.length}\r\n`, at, "latin1");
    at += frame.copy(this.batch, at);
    at += this.batch.write("\r\n", at, "latin1");
    this.filled = at;
    this.arrivals.push(arrivedAt);
    this.inFlight.add(source, size);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Resolves when it is up; rejects after `limitMs`. */
  async ready(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!this.up) {
      if (performance.now() > deadline) throw new Error("Redis did not answer in time.");
      await delay(5);
    }
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
    this.write(this.socket, this.batch.subarray(0, this.filled));
    // A write that the kernel took at once leaves the bytes free; otherwise they are still being read.
    if (this.socket.writableLength > 0) this.batch = Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.filled = 0;
    const now = performance.now();
    for (const arrivedAt of this.arrivals) this.options.residence.observe((now - arrivedAt) / 1_000);
    this.arrivals.length = 0;
  }

  private write(socket: Socket, bytes: Buffer): void {
    socket.write(bytes);
    this.inFlight.written(performance.now());
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
      socket.on("data", (replies) => this.hear(socket, replies));
      socket.on("error", (error) => this.fail(socket, error));
      socket.on("close", () => this.fail(socket, new Error("Redis closed the connection.")));
      if (this.failures > 0) this.options.log.info("Redis takes frames again");
      this.failures = 0;
      this.state = "up";
    } catch (error) {
      this.retry(error as Error);
    }
  }

  private retry(error: Error): void {
    if (this.state === "stopped") return;
    if (this.failures === 0) this.options.log.error({ err: error }, "Redis takes no frames; reconnecting");
    const pauseMs = Math.min(50 * 2 ** Math.min(this.failures++, 10), RECONNECT_MAX_MS);
    this.timer = setTimeout(() => void this.connect(), pauseMs);
  }

  private fail(socket: Socket, error: Error): void {
    if (this.socket !== socket || this.state === "stopped") return;
    this.state = "connecting";
    this.socket = undefined;
    discard(socket);
    this.filled = 0;
    this.arrivals.length = 0;
    this.inFlight.clear();
    this.retry(error);
    this.options.onDown();
  }

  private hear(socket: Socket, replies: Buffer): void {
    for (let i = 0; i < replies.length; i++) {
      const byte = replies[i];
      if (this.atLineStart && byte === MINUS) {
        const words = replies.toString("latin1", i + 1, i + 200).split("\r")[0];
        this.fail(socket, new Error(`Redis refuses a frame: ${words}`));
        return;
      }
      this.atLineStart = byte === NEWLINE;
      if (this.atLineStart) this.inFlight.acknowledge();
    }
  }

  /** A Redis that is slow is worse than none: a connection that is gone is at least seen to be. */
  private look(now: number): void {
    if (!this.socket) return;
    const { oldestAt } = this.inFlight;
    if (oldestAt !== undefined && now - oldestAt > this.options.stallMs) {
      // When it was this process that stood still, the answers are there and are read before an immediate.
      setImmediate(() => this.judge(oldestAt));
    } else if (oldestAt === undefined && now - this.lastProbeAt > PROBE_MS) {
      this.lastProbeAt = now;
      this.inFlight.add(undefined, PING.length);
      this.write(this.socket, PING);
    }
  }

  private judge(suspectAt: number): void {
    if (!this.socket || this.inFlight.oldestAt !== suspectAt) return;
    this.fail(this.socket, new Error(`Redis has not answered for ${this.options.stallMs} ms.`));
  }
}

/** Close so that what waits in the kernel is thrown away too, where the socket allows it (TLS does not). */
function discard(socket: Socket): void {
  socket.removeAllListeners("data");
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}
