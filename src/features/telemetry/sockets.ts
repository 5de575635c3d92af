import type { Server as HttpServer } from "node:http";
import type { Socket as TcpSocket } from "node:net";
import { Server } from "socket.io";
import { WebSocketServer } from "ws";
import { plainProtection } from "../../http/protective-headers";
import type { UserCaller } from "../../http/route";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import type { Redis } from "../../platform/redis/client";
import type { Subscriber } from "../../platform/redis/subscriber";
import type { VehicleLinks } from "../../vehicle";
import { memoryAdapter, shardedAdapter } from "./adapters";
import type { TelemetryServer, TelemetrySocket } from "./events";
import { FeedBoard, type FeedOptions } from "./feed-board";
import { type HandshakeDoors, openSession } from "./handshake";
import { type Measures, telemetryMeasures } from "./measures";
import { type PlaceLimits, Places } from "./places";
import { AWAY_MS, memoryRecovery, type Recovery, redisRecovery } from "./recovery";
import { type FindWatched, Requests } from "./requests";
import { Ticket } from "./ticket";
import { cutWhenUnread, endWhenUnread } from "./unread-answers";
import { SLOW_ROOM, Watcher } from "./watcher";

/** A watcher sends small requests only. */
const MAX_REQUEST_BYTES = 16_384;
/** Where watchers connect, with a user's access token. */
export const SOCKETS_PATH = "/socket.io/";
/** How long a drain waits for watchers to hang up before it does. */
const GOODBYE_MS = 1_000;

export interface TelemetryDoors extends HandshakeDoors {
  readonly links: Pick<VehicleLinks, "subscribe">;
  readonly find: FindWatched;
}

export interface TelemetryOptions extends FeedOptions, PlaceLimits {
  /** Origins that browsers may connect from; `*` allows any. */
  readonly origins: readonly string[];
  /** Drones times streams that one client may watch. */
  readonly maxStreams: number;
  /** Where watchers of one drone may sit at several replicas. */
  readonly between?: { readonly publisher: Redis; readonly subscriber: Subscriber };
}

/** The Socket.IO side of the gateway: watchers come in, drones' telemetry goes out. */
export class TelemetrySockets {
  readonly board: FeedBoard;
  private readonly io: TelemetryServer;
  private readonly measures: Measures;
  private readonly recovery: Recovery;
  private readonly places: Places;
  private readonly upgraded = new Set<TcpSocket>();
  private readonly stopCutting: () => void;
  private draining = false;

  constructor(
    private readonly doors: TelemetryDoors,
    private readonly options: TelemetryOptions,
    private readonly log: Logger,
    registry: Registry,
  ) {
    const { between } = options;
    this.places = new Places(options, doors.userOf);
    this.recovery = between ? redisRecovery(between.publisher) : memoryRecovery();
    this.io = new Server({
      path: SOCKETS_PATH,
      serveClient: false,
      // Engine.IO's own is an older one, which answers every ping, read or not: empty ones took gigabytes of one client.
      wsEngine: WebSocketServer,
      maxHttpBufferSize: MAX_REQUEST_BYTES,
      cors: { origin: options.origins.includes("*") ? "*" : [...options.origins] },
      connectionStateRecovery: { maxDisconnectionDuration: AWAY_MS, skipMiddlewares: false },
      adapter: (between
        ? shardedAdapter(this.recovery, {
            ...between,
            placeOf: (frame) => this.board.placeOf(frame),
            admit: ({ frame, stream, place }) => this.board.admit(frame, stream, place),
            received: ({ frame, stream, place }) => this.board.received(frame, stream, place),
          })
        : memoryAdapter(this.recovery)) as never,
      allowRequest: ({ url = "" }, answer) => {
        const refusal = this.draining ? "The server is shutting down." : this.places.refusal(url);
        answer(refusal, refusal === undefined);
      },
    });
    this.measures = telemetryMeasures(registry, () => ({
      sockets: this.io.sockets.sockets.size,
      rooms: this.board.rooms,
      drones: this.board.drones,
      slow: this.io.sockets.adapter.rooms.get(SLOW_ROOM)?.size ?? 0,
    }));
    this.stopCutting = cutWhenUnread(this.upgraded, this.measures.end);
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
    // What Socket.IO answers to a request, a refusal too; and to an upgrade, which has no reply of the server's.
    server.prependListener("request", (_request, reply) => {
      for (const [name, value] of Object.entries(plainProtection)) reply.setHeader(name, value);
    });
    this.io.engine.on("connection", (conn: TelemetrySocket["conn"]) => {
      conn.once("close", this.places.take(conn.request.url ?? ""));
      endWhenUnread(conn, this.measures.end);
    });
    this.io.engine.on("headers", (headers: object) => Object.assign(headers, plainProtection));
    server.on("upgrade", (_request, socket: TcpSocket) => {
      this.upgraded.add(socket);
      socket.once("close", () => this.upgraded.delete(socket));
    });
  }

  /**
   * Takes nobody new and hangs up on everybody, as a network would: a client that was sent away by word would
   * not come back by itself. A socket that does not hang up is cut.
   */
  async drain(): Promise<void> {
    this.draining = true;
    for (const { conn } of this.io.sockets.sockets.values()) conn.close();
    const deadline = performance.now() + GOODBYE_MS;
    while (this.upgraded.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const socket of this.upgraded) socket.destroy();
    this.stopCutting();
    this.board.closeAll();
    this.io.engine?.close();
  }

  private welcome(socket: TelemetrySocket): void {
    const { session, remembered, ticket: shown } = socket.data;
    if ("refused" in session) {
      this.measures.refusal();
      socket.emit("error", { message: session.refused });
      socket.disconnect(true);
      return;
    }
    const { userId, token } = session;
    const watcher = new Watcher(socket, this.measures);
    const ticket = new Ticket(watcher, userId, this.recovery);
    const requests = new Requests(watcher, userId, this.board, this.doors.find, this.log, {
      maxStreams: this.options.maxStreams,
      changed: () => ticket.changed(),
    });
    socket.on("subscribe_telemetry", (asked) => requests.subscribe(asked));
    socket.on("unsubscribe_telemetry", (asked) => requests.unsubscribe(asked));
    socket.on("disconnecting", (reason) => ticket.leaving(reason));
    socket.on("disconnect", () => requests.end());
    this.closeWithToken(socket, token);
    socket.emit("connected", { status: "connected", user_id: userId });
    ticket.give();
    if (!remembered || remembered.user_id !== userId) return;
    // The client's former socket may not be known as dead yet; what it would be sent is this one's.
    this.io.in(remembered.socket_id).disconnectSockets(true);
    if (shown) ticket.replaces(shown);
    requests.resume(remembered.streams);
  }

  private closeWithToken(socket: TelemetrySocket, token: UserCaller): void {
    const end = (message: string) => {
      socket.emit("error", { message });
      socket.disconnect(true);
    };
    const { tokenWatch } = this.doors;
    const forget = tokenWatch?.add(token, end);
    if (forget) socket.once("disconnect", forget);
    // A revocation between the handshake's check and this was not noticed. After a failed read the watch repeats it.
    tokenWatch?.rejection(token).then(
      (why) => why && end(why),
      () => {},
    );
  }
}
