import { setTimeout as delay } from "node:timers/promises";
import { io, type Socket } from "socket.io-client";
import type { LatLng } from "../../domain/geo";

/** The latest telemetry of the vehicle; a field is absent until it was received. */
export interface VehicleSnapshot {
  readonly position?: LatLng;
  /** Metres above home. */
  readonly altitude?: number;
  /** m/s over ground. */
  readonly speed?: number;
  /** Percent left. */
  readonly battery?: number | null;
  readonly armed?: boolean;
  readonly mode?: string;
  /** The vehicle's last status text. */
  readonly text?: string;
}

type TelemetryData =
  | { type: "gps"; data: { latitude: number; longitude: number } }
  | { type: "relalt"; data: { data: number } }
  | { type: "hud"; data: { groundspeed: number } }
  | { type: "system"; data: { battery: { remaining: number | null }; armed: boolean; mode: string } }
  | { type: "logs"; data: { text: string } };

/** A flight without news for this long is no flight. */
const messageTimeoutMs = 10_000;

/** Watches one drone through Socket.IO, as a web client does. */
export class Watch {
  private snapshot: VehicleSnapshot = {};
  private lastMessageAt = Date.now();
  private fault: Error | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on("telemetry_data", (message: TelemetryData) => this.receive(message));
    socket.on("error", ({ message }: { message: string }) => this.fail(`The gateway says: ${message}`));
    socket.on("connect_error", (error) => this.fail(`The telemetry socket does not open: ${error.message}`));
    socket.on("disconnect", (reason) => this.fail(`The telemetry socket closed: ${reason}`));
  }

  static start(origin: string, token: string, droneId: number): Watch {
    const socket = io(origin, { query: { token }, transports: ["websocket"], reconnection: false });
    const watch = new Watch(socket);
    socket.on("connected", () => {
      for (const stream_type of ["dashboard", "system"]) {
        socket.emit("subscribe_telemetry", { drone_id: droneId, stream_type });
      }
    });
    return watch;
  }

  get seen(): VehicleSnapshot {
    return this.snapshot;
  }

  /** Resolves when `holds` returns true; rejects at the limit, or when telemetry stops. */
  async until(what: string, limitSeconds: number, holds: (seen: VehicleSnapshot) => boolean): Promise<void> {
    const deadline = Date.now() + limitSeconds * 1000;
    while (!holds(this.snapshot)) {
      if (this.fault) throw this.fault;
      const words = this.snapshot.text ? ` The vehicle's last words: ${this.snapshot.text}` : "";
      if (Date.now() - this.lastMessageAt > messageTimeoutMs) {
        throw new Error(`No telemetry came from the drone for ${messageTimeoutMs / 1000} s.${words}`);
      }
      if (Date.now() > deadline) throw new Error(`${what} took longer than ${limitSeconds} s.${words}`);
      await delay(20);
    }
  }

  stop(): void {
    this.socket.removeAllListeners("disconnect");
    this.socket.disconnect();
  }

  private fail(message: string): void {
    this.fault ??= new Error(message);
  }

  private receive(message: TelemetryData): void {
    this.lastMessageAt = Date.now();
    this.snapshot = { ...this.snapshot, ...read(message) };
  }
}

function read(message: TelemetryData): VehicleSnapshot {
  switch (message.type) {
    case "gps":
      return { position: { lat: message.data.latitude, lng: message.data.longitude } };
    case "relalt":
      return { altitude: message.data.data };
    case "hud":
      return { speed: message.data.groundspeed };
    case "system":
      return {
        battery: message.data.battery.remaining,
        armed: message.data.armed,
        mode: message.data.mode,
      };
    case "logs":
      return { text: message.data.text };
    default:
      // The dashboard carries more kinds than are shown here.
      return {};
  }
}
