import type { Socket } from "node:net";
import type { Logger } from "../platform/process/log";
import { connectRedis, encodeCommand } from "../platform/redis/resp";
import { type Reply, ReplyReader } from "./replies";

const ECHO_EVERY_MS = 50;
/** A connection whose echo is overdue by this much is thrown away with all that is held up in it. */
const STALLED_MS = 1_000;
const CONNECT_MS = 1_500;
const RETRY_MS = 250;

/** A message on one of the drone's channels; `topic` is the channel's name behind the drone's address. */
export interface Arrival {
  readonly topic: string;
  readonly text: string;
  /** When the last echo before it was asked for (monotonic milliseconds): it came to Redis after that. */
  readonly askedAt: number | undefined;
}

export interface InboxOptions {
  readonly url: string;
  readonly droneIp: string;
  /** Of these only the newest is handed over, however many have come. */
  readonly newestOf: string;
  /** Of these every one is. */
  readonly allOf: readonly string[];
  readonly log: Logger;
  readonly onArrival: (arrival: Arrival) => void;
}

/**
 * The drone's channels in Redis, on one connection that is read until it is empty before anything is handed
 * over, and that is asked for an echo all the time, so that each message's age has a bound.
 *
 * connecting → listening → connecting → … → stopped.
 */
export class Inbox {
  private socket: Socket | undefined;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private unanswered: number[] = [];
  private askedAt: number | undefined;
  private newest: Arrival | undefined;
  private readonly ticking: NodeJS.Timeout;

  constructor(private readonly options: InboxOptions) {
    this.ticking = setInterval(() => this.tick(performance.now()), ECHO_EVERY_MS);
    void this.connect();
  }

  /** Whether Redis has answered on this connection. */
  get listening(): boolean {
    return this.askedAt !== undefined;
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.ticking);
    clearTimeout(this.timer);
    this.socket?.destroy();
  }

  private async connect(): Promise<void> {
    const { url, droneIp, newestOf, allOf, log } = this.options;
    try {
      const socket = await connectRedis(url, CONNECT_MS);
      if (this.stopped) {
        socket.destroy();
        return;
      }
      const reader = new ReplyReader((reply) => this.hear(reply));
      socket.on("data", (chunk) => {
        if (this.socket !== socket) return;
        try {
          reader.push(chunk);
        } catch (error) {
          this.lose(socket, error as Error);
        }
      });
      socket.on("error", (error) => this.lose(socket, error));
      socket.on("close", () => this.lose(socket, new Error("Redis closed the connection.")));
      this.socket = socket;
      socket.write(encodeCommand("SUBSCRIBE", ...[newestOf, ...allOf].map((topic) => `${droneIp}:${topic}`)));
      this.tick(performance.now());
      if (this.failures > 0) log.info("Redis is heard again");
      this.failures = 0;
    } catch (error) {
      this.retry(error as Error);
    }
  }

  private lose(socket: Socket, error: Error): void {
    if (this.socket !== socket) return;
    this.socket = undefined;
    this.unanswered = [];
    this.askedAt = undefined;
    this.newest = undefined;
    socket.removeAllListeners("data");
    socket.destroy();
    this.retry(error);
  }

  private retry(error: Error): void {
    if (this.stopped) return;
    if (this.failures++ === 0) this.options.log.warn({ err: error }, "Redis is not heard; connecting again");
    this.timer = setTimeout(() => void this.connect(), RETRY_MS);
  }

  private tick(now: number): void {
    const { socket } = this;
    if (!socket) return;
    const [oldest] = this.unanswered;
    if (oldest !== undefined && now - oldest > STALLED_MS) {
      // When it was this process that stood still, the answers are there and are read before an immediate.
      setImmediate(() => {
        if (this.unanswered[0] === oldest) this.lose(socket, new Error("Redis is silent."));
      });
      return;
    }
    this.unanswered.push(now);
    socket.write(encodeCommand("PING", String(now)));
  }

  private hear(reply: Reply): void {
    if (reply instanceof Error) throw new RangeError(`Redis refuses: ${reply.message}`);
    if (!Array.isArray(reply)) return;
    const [kind, channel, text] = reply as readonly Reply[];
    if (kind === "pong") this.askedAt = this.unanswered.shift();
    if (kind !== "message") return;
    const { droneIp, newestOf, onArrival } = this.options;
    const topic = String(channel).slice(droneIp.length + 1);
    const arrival = { topic, text: String(text), askedAt: this.askedAt };
    if (topic !== newestOf) {
      onArrival(arrival);
      return;
    }
    if (!this.newest) setImmediate(() => this.handOver());
    this.newest = arrival;
  }

  private handOver(): void {
    const { newest } = this;
    this.newest = undefined;
    if (newest) this.options.onArrival(newest);
  }
}
