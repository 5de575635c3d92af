import { WebSocket } from "ws";
import { createLogger } from "../../../../platform/process/log";
import { openRedis, type Redis } from "../../../../platform/redis/client";
import { atEndOfFile } from "../../../clean-up";
import type { Finding, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";

const FRAME_MS = 50;
const RECONNECT_MS = 200;
/** A frame that took longer is no sign that frames flow again. */
const FRESH_MS = 500;

interface StickLoadOptions {
  /** `ws://…` */
  readonly relays: readonly string[];
  /** One more than relays: each is steered through its own relay, the last through any relay. */
  readonly drones: readonly { readonly id: number; readonly ip: string }[];
  /** A good access token of their owner's. */
  readonly token: () => string;
  readonly redisUrl: string;
  readonly round: Round;
  readonly progress: Progress;
}

interface Frame {
  readonly sequence: number;
  readonly sentAt: number;
  readonly round: number;
}

/**
 * Pilots with a gamepad. After a lost connection each reconnects to its own relay, and the last one to the next relay,
 * as behind a load balancer.
 */
export class StickLoad implements Load {
  readonly kind = "sticks";
  private readonly redis: Redis;
  private readonly pilots: Pilot[];
  private readonly newest = new Map<string, number>();
  private readonly findings: Finding[] = [];
  private received = 0;

  constructor(private readonly options: StickLoadOptions) {
    const { relays, drones, progress, redisUrl } = options;
    const through = new Map(drones.map(({ ip }, at) => [`${ip}:gamepad_input`, relays[at] ?? "any relay"]));
    for (const relay of relays) progress.expect("sticks", relay);
    this.pilots = drones.map(({ id }, at) => {
      const own = relays[at] === undefined ? relays : [relays[at]];
      return new Pilot(
        own.map((relay) => `${relay}/redispad/${id}`),
        options,
      );
    });
    // As a drone has it: subscribed again by itself when Redis is back.
    this.redis = openRedis(redisUrl, createLogger("test", "silent"), {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
    });
    this.redis.on("message", (channel: string, text: string) =>
      this.hear(through.get(channel) as string, JSON.parse(text) as Frame),
    );
    void this.redis.subscribe(...through.keys());
    atEndOfFile(() => this.stop());
  }

  async stop(): Promise<void> {
    for (const pilot of this.pilots) pilot.stop();
    this.redis.disconnect();
  }

  async result(): Promise<LoadResult> {
    return { acknowledged: this.received, findings: this.findings };
  }

  /** Frames that were written to a relay; a relay may drop, and must not reorder or repeat. */
  get sent(): number {
    return this.pilots.reduce((sum, { sequence }) => sum + sequence, 0);
  }

  private hear(relay: string, { sequence, sentAt, round }: Frame): void {
    this.received += 1;
    const before = this.newest.get(relay) ?? 0;
    if (sequence <= before) {
      const type = sequence === before ? "duplicated" : "out of order";
      const detail = `frame ${sequence} after ${before} through ${relay}`;
      this.findings.push({ load: "sticks", type, round, detail });
    }
    this.newest.set(relay, Math.max(before, sequence));
    if (performance.now() - sentAt < FRESH_MS) this.options.progress.success("sticks", relay);
  }
}

class Pilot {
  sequence = 0;
  private connections = 0;
  private socket: WebSocket | undefined;
  private readonly timer: NodeJS.Timeout;
  private stopped = false;

  constructor(
    /** In turn. */
    private readonly urls: readonly string[],
    private readonly options: Pick<StickLoadOptions, "round" | "token">,
  ) {
    this.connect();
    this.timer = setInterval(() => this.send(), FRAME_MS);
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
    this.socket?.terminate();
  }

  private connect(): void {
    const url = this.urls[this.connections++ % this.urls.length];
    const socket = new WebSocket(`${url}?access_token=${this.options.token()}`, { perMessageDeflate: false });
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => {
      if (!this.stopped) setTimeout(() => this.stopped || this.connect(), RECONNECT_MS);
    });
  }

  private send(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const frame: Frame = {
      sequence: ++this.sequence,
      sentAt: performance.now(),
      round: this.options.round.current,
    };
    this.socket.send(JSON.stringify(frame));
  }
}
