import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { keepAlive, type Peer } from "../../http/server/keep-alive";

export type Direction = "to_vehicle" | "to_gateway";

/** What ended a pipe. */
type PipeEnd =
  | "vehicle_closed"
  | "vehicle_lost"
  | "gateway_closed"
  | "gateway_lost"
  | "deposed"
  | "idle"
  | "text_frame"
  | "stopping"
  | "standby";

/** WebSocket close codes for the gateway, beside WebSocket's own (1009: a frame over the limit). */
export const closeCodes = {
  vehicle_closed: 1000,
  vehicle_lost: 1011,
  text_frame: 1003,
  /** The gateway reconnects, to another hub or to this one in a moment. */
  stopping: 1012,
  standby: 1012,
  idle: 4408,
  deposed: 4409,
} as const satisfies Partial<Record<PipeEnd, number>>;

const closeReasons: Readonly<Record<keyof typeof closeCodes, string>> = {
  vehicle_closed: "the vehicle closed the connection",
  vehicle_lost: "the connection to the vehicle broke",
  text_frame: "only binary frames are carried",
  stopping: "the jumphost restarts; connect again",
  standby: "another hub serves now; connect again",
  idle: "nothing was carried for too long",
  deposed: "a newer holder has taken this vehicle over",
};

/** Bytes sent by a gateway before an orderly close still go to the vehicle, if the vehicle takes them in this time. */
const FLUSH_MS = 1_000;

export interface PipeLimits {
  /** While so many bytes wait for one side, the other is not read. */
  readonly maxBufferedBytes: number;
  /** A pipe that carries nothing for so long is closed; also one whose vehicle takes nothing any more. */
  readonly idleMs: number;
  /** How often a gateway is pinged; its pong has to come before the next ping. */
  readonly pingMs: number;
}

interface PipeOptions extends PipeLimits {
  readonly gateway: WebSocket;
  readonly vehicle: Socket;
  /** Aborted when a newer claim takes the vehicle over. */
  readonly deposed: AbortSignal;
  /** Whether this hub is the one that serves; checked before any byte goes to the vehicle. */
  readonly isActive: () => boolean;
  readonly onBytes: (direction: Direction, count: number) => void;
  readonly onEnd: (reason: PipeEnd) => void;
}

/**
 * Carries bytes between a gateway's WebSocket and a vehicle's TCP connection.
 *
 * open → ended. Its end closes both sides; nothing is read from either after that.
 */
export class Pipe implements Peer {
  alive = true;
  private ended = false;
  private carried = 0;
  private readonly idle: NodeJS.Timeout;
  private readonly stopPings: () => void;

  constructor(private readonly options: PipeOptions) {
    const { gateway, vehicle, deposed, idleMs, pingMs } = options;
    // After a pause of this process, bytes that arrived meanwhile are read before an immediate runs.
    this.idle = setTimeout(() => {
      const before = this.carried;
      setImmediate(() => before === this.carried && this.end("idle"));
    }, idleMs);
    this.stopPings = keepAlive(this, pingMs);
    deposed.addEventListener("abort", () => this.end("deposed"), { once: true });
    gateway.on("message", (data: Buffer, isBinary) => this.toVehicle(data, isBinary));
    gateway.on("pong", () => {
      this.alive = true;
    });
    gateway.on("error", () => {});
    gateway.on("close", (code) =>
      this.end(code === 1006 || code === 1009 ? "gateway_lost" : "gateway_closed"),
    );
    vehicle.on("data", (data) => this.toGateway(data));
    vehicle.on("drain", () => gateway.resume());
    vehicle.on("error", () => this.end("vehicle_lost"));
    vehicle.on("close", () => this.end("vehicle_closed"));
  }

  end(reason: PipeEnd): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.idle);
    this.stopPings();
    const { gateway, vehicle, onEnd } = this.options;
    if (reason === "gateway_closed") closeGracefully(vehicle);
    // A reset drops what the system still holds: it must not reach a vehicle that has another holder now, or whose
    // gateway has reported unanswered commands as unknown.
    else vehicle.resetAndDestroy();
    if (reason in closeCodes) {
      const code = reason as keyof typeof closeCodes;
      // A paused WebSocket does not read the answer to its close frame.
      gateway.resume();
      gateway.close(closeCodes[code], closeReasons[code]);
    } else {
      gateway.terminate();
    }
    onEnd(reason);
  }

  ping(): void {
    const { gateway } = this.options;
    // A paused gateway is not read: its pong lies behind what waits.
    if (gateway.isPaused) this.alive = true;
    else gateway.ping();
  }

  dead(): void {
    this.end("gateway_lost");
  }

  private toVehicle(data: Buffer, isBinary: boolean): void {
    if (this.ended) return;
    if (!isBinary) {
      this.end("text_frame");
      return;
    }
    const { gateway, vehicle, maxBufferedBytes, onBytes, isActive } = this.options;
    // After a pause of this process another hub may serve already.
    if (!isActive()) {
      this.end("standby");
      return;
    }
    this.moved(data);
    this.alive = true;
    onBytes("to_vehicle", data.length);
    vehicle.write(data);
    if (vehicle.writableLength > maxBufferedBytes) gateway.pause();
  }

  private toGateway(data: Buffer): void {
    if (this.ended) return;
    const { gateway, vehicle, maxBufferedBytes, onBytes } = this.options;
    this.moved(data);
    onBytes("to_gateway", data.length);
    gateway.send(data, { binary: true }, () => {
      if (vehicle.isPaused() && gateway.bufferedAmount <= maxBufferedBytes / 2) vehicle.resume();
    });
    if (gateway.bufferedAmount > maxBufferedBytes) vehicle.pause();
  }

  private moved({ length }: Buffer): void {
    this.carried += length;
    this.idle.refresh();
  }
}

function closeGracefully(vehicle: Socket): void {
  const limit = setTimeout(() => vehicle.destroy(), FLUSH_MS);
  vehicle.once("close", () => clearTimeout(limit));
  vehicle.end();
  // With unread bytes the system would reset the connection and drop what is still to be sent.
  vehicle.resume();
}
