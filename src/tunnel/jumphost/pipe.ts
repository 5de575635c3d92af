import type { Socket } from "node:net";
import type { WebSocket } from "ws";

export type Direction = "to_vehicle" | "to_gateway";

/** What ended a pipe. */
export type PipeEnd =
  | "vehicle_closed"
  | "vehicle_lost"
  | "gateway_closed"
  | "gateway_lost"
  | "deposed"
  | "idle"
  | "text_frame"
  | "stopping"
  | "standby";

/** How the gateway is told, beside WebSocket's own (1009: a frame over the limit). */
export const closeCodes = {
  vehicle_closed: 1000,
  vehicle_lost: 1011,
  text_frame: 1003,
  /** The jumphost stops; another, or this one in a moment, takes the pipe. */
  stopping: 1012,
  standby: 1012,
  idle: 4408,
  deposed: 4409,
} as const satisfies Partial<Record<PipeEnd, number>>;

const words: Readonly<Record<keyof typeof closeCodes, string>> = {
  vehicle_closed: "the vehicle closed the connection",
  vehicle_lost: "the connection to the vehicle broke",
  text_frame: "only binary frames are carried",
  stopping: "the jumphost restarts; connect again",
  standby: "another hub serves now; connect again",
  idle: "nothing was carried for too long",
  deposed: "a newer holder has taken this vehicle over",
};

/** What the gateway sent before it said goodbye still goes to the vehicle, if it takes it in this time. */
const GOODBYE_MS = 1_000;

export interface PipeLimits {
  /** A side that has so many bytes waiting for it makes the other wait. */
  readonly maxBufferedBytes: number;
  /** A pipe that carries nothing for so long is closed. */
  readonly idleMs: number;
  /** How often a gateway is asked for a sign of life, which must come within as long. */
  readonly pingMs: number;
}

export interface PipeOptions extends PipeLimits {
  readonly gateway: WebSocket;
  readonly vehicle: Socket;
  /** Aborted when the pipe's right to the vehicle is taken away. */
  readonly deposed: AbortSignal;
  /** Whether this hub is the one that serves; asked before anything goes to the vehicle. */
  readonly isActive: () => boolean;
  readonly onBytes: (direction: Direction, count: number) => void;
  readonly onEnd: (reason: PipeEnd) => void;
}

/**
 * Carries bytes between a gateway's WebSocket and a vehicle's TCP connection.
 *
 * open → ended. Whatever ends it closes both sides, and after that nothing more is taken from either.
 */
export class Pipe {
  private ended = false;
  private answered = true;
  private carried = 0;
  private readonly idle: NodeJS.Timeout;
  private readonly pings: NodeJS.Timeout;

  constructor(private readonly options: PipeOptions) {
    const { gateway, vehicle, deposed, idleMs, pingMs } = options;
    // After a pause of this process what came meanwhile has yet to be read; that comes before an immediate.
    this.idle = setTimeout(() => {
      const before = this.carried;
      setImmediate(() => before === this.carried && this.end("idle"));
    }, idleMs);
    this.pings = setInterval(() => setImmediate(() => this.ping()), pingMs);
    deposed.addEventListener("abort", () => this.end("deposed"), { once: true });
    gateway.on("message", (data: Buffer, isBinary) => this.toVehicle(data, isBinary));
    gateway.on("pong", () => {
      this.answered = true;
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
    clearInterval(this.pings);
    const { gateway, vehicle, onEnd } = this.options;
    if (reason === "gateway_closed") sayGoodbye(vehicle);
    // Not even what the system holds ready to be sent may reach a vehicle that has another holder now, or whose
    // gateway tells its callers that what was not answered is unknown.
    else vehicle.resetAndDestroy();
    if (reason in closeCodes) {
      const told = reason as keyof typeof closeCodes;
      // A side that was made to wait would not see the answer to its goodbye.
      gateway.resume();
      gateway.close(closeCodes[told], words[told]);
    } else {
      gateway.terminate();
    }
    onEnd(reason);
  }

  private toVehicle(data: Buffer, isBinary: boolean): void {
    if (this.ended) return;
    if (!isBinary) {
      this.end("text_frame");
      return;
    }
    const { gateway, vehicle, maxBufferedBytes, onBytes, isActive } = this.options;
    // After a pause of this process another hub may serve, before anything here has noticed.
    if (!isActive()) {
      this.end("standby");
      return;
    }
    this.moved(data);
    this.answered = true;
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

  private ping(): void {
    const { gateway } = this.options;
    if (this.ended) return;
    // A gateway that waits for the vehicle is not read: its answers lie behind what waits.
    if (gateway.isPaused) return;
    if (!this.answered) {
      this.end("gateway_lost");
      return;
    }
    this.answered = false;
    gateway.ping();
  }
}

function sayGoodbye(vehicle: Socket): void {
  const limit = setTimeout(() => vehicle.destroy(), GOODBYE_MS);
  vehicle.once("close", () => clearTimeout(limit));
  vehicle.end();
  // Closed with something unread, the system would cut the connection, and the goodbye with it.
  vehicle.resume();
}
