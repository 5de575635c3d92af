import type { Server as HttpServer } from "node:http";
import type { Socket as TcpSocket } from "node:net";
import { Server } from "socket.io";
import { WebSocketServer } from "ws";
import { DomainError } from "../../../domain/errors";
import type { UserCaller } from "../../../http/route";
import { plainSecurityHeaders } from "../../../http/security-headers";
import type { GatewayConfig } from "../../../platform/config";
import { eventually } from "../../../platform/eventually";
import type { Quotas } from "../../../platform/quotas/quotas";
import type { Services } from "../../../platform/services";
import type { VehicleLinks } from "../../../vehicle";
import type { TelemetryServer, TelemetrySocket } from "../events";
import { DroneFeeds } from "../feeds/drone-feeds";
import type { FrameChannel } from "../feeds/frame-channel";
import { FleetWatchers, type FleetWatchersDeps } from "../fleet/fleet-watchers";
import { type TelemetryMetrics, telemetryMetrics } from "../metrics";
import { limitPackets, limitUnreadBytes } from "./client-limits";
import { ConnectionLimiter } from "./connection-limiter";
import { type HandshakeDeps, openSession } from "./handshake";
import { refuseConnections } from "./refuse-connections";
import { type FindWatched, Requests } from "./requests";
import {
  RECOVERY_WINDOW_MS,
  recoveringAdapter,
  SessionRecovery,
  type SessionStore,
} from "./session-recovery";
import { SLOW_ROOM, Watcher } from "./watcher";
import { writeWholeFlushes } from "./whole-flushes";

/** A watcher's requests are small. */
export const MAX_REQUEST_BYTES = 16_384;
/** Watchers connect here with a user's access token. */
export const SOCKETS_PATH = "/socket.io/";
/** A drain waits this long for clients to close their connections, and then destroys them. */
const DRAIN_MS = 1_000;

interface TelemetryDeps
  extends HandshakeDeps,
    Pick<Services, "log" | "registry">,
    Pick<FleetWatchersDeps, "states" | "dronesOf"> {
  readonly config: Pick<
    GatewayConfig,
    "TELEMETRY_MAX_HZ" | "TELEMETRY_MAX_SOCKETS" | "DO_UNSUBSCRIBE" | "CORS_ORIGINS"
  >;
  readonly links: Pick<VehicleLinks, "subscribe">;
  readonly sessions: SessionStore;
  /** To and from other replicas; absent where there are none. */
  readonly channel?: FrameChannel | undefined;
  readonly find: FindWatched;
  readonly quotas: Pick<Quotas, "checkAmount">;
}

/** The Socket.IO server of the gateway: authenticates watchers and sends them drones' telemetry. */
export class TelemetrySockets {
  readonly feeds: DroneFeeds;
  readonly fleets: FleetWatchers;
  private readonly io: TelemetryServer;
  private readonly metrics: TelemetryMetrics;
  private readonly limiter: ConnectionLimiter;
  private readonly webSockets = new Set<TcpSocket>();
  private readonly stopLimit: () => void;
  private draining = false;

  constructor(private readonly deps: TelemetryDeps) {
    const { config } = deps;
    const origins = config.CORS_ORIGINS;
    this.limiter = new ConnectionLimiter(config.TELEMETRY_MAX_SOCKETS, deps.quotas, deps.userOf);
    this.io = new Server({
      path: SOCKETS_PATH,
      serveClient: false,
      // Engine.IO's own is an older one, which answers every ping, read or not: empty pings took gigabytes.
      wsEngine: WebSocketServer,
      maxHttpBufferSize: MAX_REQUEST_BYTES,
      cors: { origin: origins.includes("*") ? "*" : [...origins] },
      connectionStateRecovery: { maxDisconnectionDuration: RECOVERY_WINDOW_MS, skipMiddlewares: false },
      adapter: recoveringAdapter(deps.sessions),
    });
    this.metrics = telemetryMetrics(deps.registry, {
      sockets: () => this.io.sockets.sockets.size,
      rooms: () => this.feeds.rooms,
      drones: () => this.feeds.drones,
      slow: () => this.io.sockets.adapter.rooms.get(SLOW_ROOM)?.size ?? 0,
    });
    this.stopLimit = limitUnreadBytes(this.webSockets, this.metrics.closed);
    this.feeds = new DroneFeeds({
      ...deps,
      metrics: this.metrics,
      maxHz: config.TELEMETRY_MAX_HZ,
      stopWhenUnwatched: config.DO_UNSUBSCRIBE,
    });
    this.fleets = new FleetWatchers({ ...deps, io: this.io });
    // Before the client's `connect` event, so that its first requests are not lost.
    this.io.use(async (socket, next) => {
      socket.data.session = await openSession(socket.handshake.query.token, deps);
      next();
    });
    this.io.on("connection", (socket) => this.welcome(socket));
  }

  /** Connections of a user to this process. */
  socketsOf(userId: number): number {
    return this.limiter.count(userId);
  }

  attach(server: HttpServer): void {
    this.io.attach(server);
    // Protective headers for Socket.IO's replies and refusals, and for upgrades, which have no reply of the server.
    server.prependListener("request", (_request, reply) => {
      for (const [name, value] of Object.entries(plainSecurityHeaders)) reply.setHeader(name, value);
    });
    this.io.engine.use(refuseConnections((url) => this.checkConnection(url)));
    this.io.engine.on("headers", (headers: object) => Object.assign(headers, plainSecurityHeaders));
    this.io.engine.on("connection", (conn: TelemetrySocket["conn"]) => {
      conn.once("close", this.limiter.acquire(conn.request.url ?? ""));
      limitPackets(conn, this.metrics.closed);
      writeWholeFlushes(conn);
    });
    server.on("upgrade", (_request, socket: TcpSocket) => {
      this.webSockets.add(socket);
      socket.once("close", () => this.webSockets.delete(socket));
    });
  }

  /**
   * Refuses new clients and closes all connections as a network failure would, so that clients reconnect by themselves:
   * after a Socket.IO disconnect they would not.
   */
  async drain(): Promise<void> {
    this.draining = true;
    for (const { conn } of this.io.sockets.sockets.values()) conn.close();
    const isEmpty = () => this.webSockets.size === 0;
    await eventually("The end of the connections", isEmpty, { limitMs: DRAIN_MS, everyMs: 10 }).catch(
      () => {},
    );
    for (const socket of this.webSockets) socket.destroy();
    this.stopLimit();
    this.fleets.stop();
    this.feeds.closeAll();
    this.io.engine?.close();
  }

  private checkConnection(url: string): void {
    if (this.draining) throw new DomainError("overloaded", "The server is shutting down.");
    this.limiter.check(url);
  }

  private welcome(socket: TelemetrySocket): void {
    const { session, recovered, ticket } = socket.data;
    if ("refused" in session) {
      this.metrics.refusedHandshake();
      this.disconnect(socket, session.refused);
      return;
    }
    const { userId, token } = session;
    const watcher = new Watcher(socket, this.metrics);
    const recovery = new SessionRecovery(watcher, userId, this.deps.sessions);
    const requests = new Requests(watcher, {
      userId,
      feeds: this.feeds,
      fleets: this.fleets,
      find: this.deps.find,
      log: this.deps.log,
      changed: () => recovery.changed(),
    });
    socket.on("subscribe_telemetry", (payload) => requests.subscribe(payload));
    socket.on("unsubscribe_telemetry", (payload) => requests.unsubscribe(payload));
    socket.on("subscribe_fleet", () => requests.subscribeFleet());
    socket.on("unsubscribe_fleet", () => requests.unsubscribeFleet());
    socket.on("disconnecting", (reason) => recovery.leaving(reason));
    socket.on("disconnect", () => requests.end());
    this.closeWithToken(socket, token);
    socket.emit("connected", { status: "connected", user_id: userId });
    recovery.sendTicket();
    if (!recovered || recovered.user_id !== userId) return;
    // The client's former socket may not be known as dead yet.
    this.io.in(recovered.socket_id).disconnectSockets(true);
    if (ticket) recovery.drop(ticket);
    requests.resume(recovered);
  }

  private disconnect(socket: TelemetrySocket, message: string): void {
    socket.emit("error", { message });
    socket.disconnect(true);
  }

  private closeWithToken(socket: TelemetrySocket, token: UserCaller): void {
    const { tokenWatch } = this.deps;
    const forget = tokenWatch?.add(token, (message) => this.disconnect(socket, message));
    if (forget) socket.once("disconnect", forget);
    // A revocation between the handshake's check and this was not noticed. After a failed read the watch repeats it.
    tokenWatch?.rejection(token).then(
      (why) => why && this.disconnect(socket, why),
      () => {},
    );
  }
}
