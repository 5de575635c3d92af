import type { Server as HttpServer } from "node:http";
import type { Socket as TcpSocket } from "node:net";
import { Server } from "socket.io";
import type { Logger } from "../../platform/log";
import type { Registry } from "../../platform/metrics";
import type { LinkPool } from "../../vehicle";
import type { TelemetryServer, TelemetrySocket } from "./events";
import { FeedBoard, type FeedOptions } from "./feed-board";
import { type HandshakeDoors, openSession } from "./handshake";
import { type Measures, telemetryMeasures } from "./measures";
import { type FindWatched, Requests } from "./requests";
import { SLOW_ROOM, Watcher } from "./watcher";

/** Sockets that one process takes. */
const MAX_SOCKETS = 10_000;
/** A watcher sends small requests only. */
const MAX_REQUEST_BYTES = 16_384;
/** How long a drain waits for watchers to hang up before it does. */
const GOODBYE_MS = 1_000;

export interface TelemetryDoors extends HandshakeDoors {
  readonly links: Pick<LinkPool, "subscribe">;
  readonly find: FindWatched;
}

export interface TelemetryOptions extends FeedOptions {
  /** Origins that browsers may connect from; `*` allows any. */
  readonly origins: readonly string[];
}

/** The Socket.IO side of the gateway: watchers come in, drones' telemetry goes out. */
export class TelemetrySockets {
  readonly board: FeedBoard;
  private readonly io: TelemetryServer;
  private readonly measures: Measures;
  private readonly upgraded = new Set<TcpSocket>();
  private draining = false;

  constructor(
    private readonly doors: TelemetryDoors,
    options: TelemetryOptions,
    private readonly log: Logger,
    registry: Registry,
  ) {
    this.io = new Server({
      serveClient: false,
      maxHttpBufferSize: MAX_REQUEST_BYTES,
      cors: { origin: options.origins.includes("*") ? "*" : [...options.origins] },
      allowRequest: (_request, answer) => {
        const refusal = this.refusal();
        answer(refusal, refusal === undefined);
      },
    });
    this.measures = telemetryMeasures(registry, () => ({
      sockets: this.io.sockets.sockets.size,
      rooms: this.board.rooms,
      drones: this.board.drones,
      slow: this.io.sockets.adapter.rooms.get(SLOW_ROOM)?.size ?? 0,
    }));
    this.board = new FeedBoard(this.io, doors.links, options, this.measures);
    // Decided before the client hears that it is connected, so that none of its first requests is lost.
    this.io.use(async (socket, next) => {
      socket.data.session = await openSession(socket.handshake.query.token, doors);
      next();
    });
    this.io.on("connection", (socket) => this.welcome(socket));
  }

  attach(server: HttpServer): void {
    this.io.attach(server);
    server.on("upgrade", (_request, socket: TcpSocket) => {
      this.upgraded.add(socket);
      socket.once("close", () => this.upgraded.delete(socket));
    });
  }

  /** Takes nobody new and sends everybody away; a socket that does not hang up is cut. */
  async drain(): Promise<void> {
    this.draining = true;
    this.board.closeAll();
    this.io.disconnectSockets(true);
    const deadline = performance.now() + GOODBYE_MS;
    while (this.upgraded.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const socket of this.upgraded) socket.destroy();
    this.io.engine?.close();
  }

  private refusal(): string | undefined {
    if (this.draining) return "The server is shutting down.";
    return this.io.engine.clientsCount >= MAX_SOCKETS ? "Too many sockets." : undefined;
  }

  private welcome(socket: TelemetrySocket): void {
    const { session } = socket.data;
    if ("refused" in session) {
      this.measures.refusal();
      socket.emit("error", { message: session.refused });
      socket.disconnect(true);
      return;
    }
    const watcher = new Watcher(socket, this.measures);
    const requests = new Requests(watcher, session.userId, this.board, this.doors.find, this.log);
    socket.on("subscribe_telemetry", (asked) => requests.subscribe(asked));
    socket.on("unsubscribe_telemetry", (asked) => requests.unsubscribe(asked));
    socket.on("disconnect", () => requests.end());
    socket.emit("connected", { status: "connected", user_id: session.userId });
  }
}
