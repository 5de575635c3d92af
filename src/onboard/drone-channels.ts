import type { Socket } from "node:net";
import type { Logger } from "../platform/process/log";
import { connectRedis, encodeCommand } from "../platform/redis/resp";
import { type Reply, RespReader } from "../platform/redis/resp-reader";

const PING_EVERY_MS = 50;
/** Between two pings while no message comes, and how long after the last one that begins. */
const IDLE_PING_MS = 1_000;
const IDLE_AFTER_MS = 10_000;
/** A connection whose pong is overdue by this much is destroyed, with all messages that are delayed in it. */
const STALLED_MS = 1_000;
const CONNECT_MS = 1_500;
const RETRY_MS = 250;

/** A message on one of the drone's channels; `topic` is the channel's name after the drone's address. */
export interface ChannelMessage {
  readonly topic: string;
  readonly text: string;
  /** When the ping was sent whose pong came last before it (monotonic milliseconds): it reached Redis after that. */
  readonly pingSentAt: number | undefined;
}

interface DroneChannelsOptions {
  readonly url: string;
  readonly droneIp: string;
  /** Of this topic only the newest of all received messages is passed on. */
  readonly newestOnly: string;
  readonly all: readonly string[];
  readonly log: Logger;
  readonly onMessage: (message: ChannelMessage) => void;
}

/**
 * The drone's channels in Redis, on one connection that is read until it is empty before a message is passed on, and
 * on which pings are sent all the time, so that each message's age has a bound. The bound of the first message after a
 * silence is looser: pings are rare then, since a fleet's would be most of what Redis does.
 *
 * connecting → subscribed → connecting → … → stopped.
 */
export class DroneChannels {
  private socket: Socket | undefined;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private pingsSentAt: number[] = [];
  private pingSentAt: number | undefined;
  private pingedAt = Number.NEGATIVE_INFINITY;
  private messageAt = Number.NEGATIVE_INFINITY;
  private newest: ChannelMessage | undefined;
  private readonly ticking: NodeJS.Timeout;

  constructor(private readonly options: DroneChannelsOptions) {
    this.ticking = setInterval(() => this.checkPings(performance.now()), PING_EVERY_MS);
    void this.connect();
  }

  /** Whether Redis has replied on this connection. */
  get subscribed(): boolean {
    return this.pingSentAt !== undefined;
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.ticking);
    clearTimeout(this.timer);
    this.socket?.destroy();
  }

  private async connect(): Promise<void> {
    const { url, droneIp, newestOnly, all, log } = this.options;
    try {
      const socket = await connectRedis(url, CONNECT_MS);
      if (this.stopped) {
        socket.destroy();
        return;
      }
      const reader = new RespReader((reply) => this.receive(reply));
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
      socket.write(encodeCommand("SUBSCRIBE", ...[newestOnly, ...all].map((topic) => `${droneIp}:${topic}`)));
      this.checkPings(performance.now());
      if (this.failures > 0) log.info("Reconnected to Redis");
      this.failures = 0;
    } catch (error) {
      this.retry(error as Error);
    }
  }

  private lose(socket: Socket, error: Error): void {
    if (this.socket !== socket) return;
    this.socket = undefined;
    this.pingsSentAt = [];
    this.pingSentAt = undefined;
    this.pingedAt = Number.NEGATIVE_INFINITY;
    this.newest = undefined;
    socket.removeAllListeners("data");
    socket.destroy();
    this.retry(error);
  }

  private retry(error: Error): void {
    if (this.stopped) return;
    if (this.failures++ === 0)
      this.options.log.warn({ err: error }, "Lost the connection to Redis; reconnecting");
    this.timer = setTimeout(() => void this.connect(), RETRY_MS);
  }

  private checkPings(now: number): void {
    const { socket } = this;
    if (!socket) return;
    const [oldest] = this.pingsSentAt;
    if (oldest !== undefined && now - oldest > STALLED_MS) {
      // After a pause of this process the pongs have yet to be read; that comes before an immediate.
      setImmediate(() => {
        if (this.pingsSentAt[0] === oldest)
          this.lose(socket, new Error("Redis did not answer a ping in time."));
      });
      return;
    }
    const isIdle = now - this.messageAt > IDLE_AFTER_MS;
    if (isIdle && now - this.pingedAt < IDLE_PING_MS) return;
    this.pingedAt = now;
    this.pingsSentAt.push(now);
    socket.write(encodeCommand("PING", String(now)));
  }

  private receive(reply: Reply): void {
    if (reply instanceof Error) throw new RangeError(`Redis refused a command: ${reply.message}`);
    if (!Array.isArray(reply)) return;
    const [kind, channel, text] = reply.map(String);
    if (kind === "pong") this.pingSentAt = this.pingsSentAt.shift();
    if (kind !== "message") return;
    this.messageAt = performance.now();
    const { droneIp, newestOnly, onMessage } = this.options;
    const topic = String(channel).slice(droneIp.length + 1);
    const message = { topic, text: String(text), pingSentAt: this.pingSentAt };
    if (topic !== newestOnly) {
      onMessage(message);
      return;
    }
    if (!this.newest) setImmediate(() => this.passOn());
    this.newest = message;
  }

  private passOn(): void {
    const { newest } = this;
    this.newest = undefined;
    if (newest) this.options.onMessage(newest);
  }
}
