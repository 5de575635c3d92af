import { io, type Socket } from "socket.io-client";
import { atEndOfFile } from "../../../clean-up";
import { type CountingVehicle, frameNumberOf } from "../../../fakes/counting-vehicle";
import type { Finding, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { type Repetition, repeatEvery } from "./repeat";

const TRANSPORTS = ["websocket", "polling"] as const;
/** A frame that took longer is no sign that frames flow again. */
const FRESH_MS = 500;
const LOOK_MS = 250;
/** How long a client waits for the confirmation before it subscribes again. */
const ASK_AGAIN_MS = 1_000;

interface TelemetryLoadOptions {
  readonly gateways: readonly string[];
  readonly drone: { readonly id: number; readonly vehicle: CountingVehicle };
  /** A good access token of its owner's. */
  readonly token: () => string;
  readonly round: Round;
  readonly progress: Progress;
}

/** Browsers that watch one drone at each gateway, by WebSocket and by polling, and come back by themselves. */
export class TelemetryLoad implements Load {
  readonly kind = "telemetry";
  private readonly watchers: Watcher[];

  constructor(options: TelemetryLoadOptions) {
    this.watchers = options.gateways.flatMap((gateway) =>
      TRANSPORTS.map((transport) => new Watcher(gateway, transport, options)),
    );
    atEndOfFile(() => this.stop());
  }

  async stop(): Promise<void> {
    await Promise.all(this.watchers.map((watcher) => watcher.stop()));
  }

  async result(): Promise<LoadResult> {
    return {
      acknowledged: this.watchers.reduce((sum, { seen }) => sum + seen, 0),
      findings: this.watchers.flatMap(({ findings }) => findings),
    };
  }
}

class Watcher {
  seen = 0;
  readonly findings: Finding[] = [];
  private readonly socket: Socket;
  private readonly name: string;
  private readonly asking: Repetition;
  private newest = 0;
  private confirmed = false;
  /** A new subscriber gets the newest frame first, which may be the last one before. */
  private isGreeted = false;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    gateway: string,
    transport: (typeof TRANSPORTS)[number],
    private readonly options: TelemetryLoadOptions,
  ) {
    this.name = `${gateway} by ${transport}`;
    options.progress.expect("telemetry", this.name);
    this.socket = io(gateway, {
      query: { token: options.token() },
      transports: [transport],
      forceNew: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 300,
    });
    this.socket.io.on("reconnect_attempt", () => this.showToken());
    this.socket.on("connect", () => {
      this.isGreeted = true;
      this.confirmed = this.socket.recovered;
    });
    this.socket.on("subscription_confirmed", () => {
      this.isGreeted = true;
      this.confirmed = true;
    });
    this.socket.on("error", ({ message }: { message: string }) => this.hearError(message));
    this.socket.on("telemetry_data", (frame) => {
      if (frame.type === "relalt") this.see(frameNumberOf(frame));
    });
    this.asking = repeatEvery(LOOK_MS, async () => this.ask());
  }

  async stop(): Promise<void> {
    await this.asking.stop();
    this.socket.disconnect();
  }

  private showToken(): void {
    this.socket.io.opts.query = { token: this.options.token() };
  }

  private ask(): void {
    // A client that the server sent away has to come back of its own accord.
    if (!this.socket.active) {
      this.showToken();
      this.socket.connect();
    }
    if (this.confirmed || !this.socket.connected || performance.now() - this.askedAt < ASK_AGAIN_MS) return;
    this.askedAt = performance.now();
    this.socket.emit("subscribe_telemetry", { drone_id: this.options.drone.id, stream_type: "relalt" });
  }

  private hearError(message: string): void {
    // The other errors report that the drone is unreachable, and the subscription stays.
    if (!message.includes("telemetry comes when it answers")) this.confirmed = false;
    if (/not a valid|logged out/.test(message)) this.note("refused", message);
  }

  private see(number: number): void {
    const { drone, progress } = this.options;
    this.seen += 1;
    if (number < this.newest) this.note("out of order", `frame ${number} after ${this.newest}`);
    if (number === this.newest && !this.isGreeted) this.note("duplicated", `frame ${number}`);
    this.isGreeted = false;
    this.newest = Math.max(this.newest, number);
    if (performance.now() - drone.vehicle.sentAt(number) < FRESH_MS) progress.success("telemetry", this.name);
  }

  private note(type: Finding["type"], detail: string): void {
    const { current: round } = this.options.round;
    this.findings.push({ load: "telemetry", type, round, detail: `${detail}, at ${this.name}` });
  }
}
