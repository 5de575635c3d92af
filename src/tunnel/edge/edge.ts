import type { Server as HttpServer } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { limitedServer, type RejectionReason } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import { openRedis, type Redis } from "../../platform/redis/client";
import {
  type AdmissionOptions,
  type AdmissionRefusal,
  DroneAdmission,
  type LiveDrone,
  type LiveDrones,
} from "./admission";
import { DroneUsers } from "./drone-users";
import type { ErrorReply, HttpProxy, Upstream } from "./forward";
import { gatewayProxy } from "./gateway-proxy";
import { type EdgeMetrics, edgeMetrics, type ServiceName } from "./metrics";
import { objectsProxy } from "./objects-proxy";
import { type RedisRefusal, redisProxy } from "./redis-proxy";

export interface EdgeOptions {
  /** The hub's address in the drone plane. */
  readonly host: string;
  readonly gateway: {
    readonly port: number;
    readonly url: string | undefined;
    readonly secret: string | undefined;
  };
  readonly objects:
    | { readonly port: number; readonly url: string; readonly closedBucket: string }
    | undefined;
  readonly redis:
    | {
        readonly port: number;
        readonly url: string;
        readonly secret: string;
        readonly bytesPerSecond?: number;
      }
    | undefined;
  readonly live: LiveDrones;
  readonly isSettled: AdmissionOptions["isSettled"];
  /** A drone is answered with 504 after so long without a byte from the gateway or the object store. */
  readonly idleTimeoutMs?: number;
  readonly maxConnectionsPerDrone?: number;
  readonly onRejected?: (reason: RejectionReason) => void;
  readonly log: Logger;
  readonly registry: Registry;
}

/** A port of the edge. It is closed until its address exists. */
interface Service {
  readonly name: ServiceName;
  readonly port: number;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly stop: () => Promise<void>;
  /** `http://host:port`, whatever protocol is spoken there; undefined while it is closed. */
  url: string | undefined;
  /** Its last attempt to listen failed. */
  hasFailed: boolean;
}

/** A request to the API is small; an upload may take as long as its link needs. */
const API_REQUEST_SECONDS = 60;
/** Of all drones together, for each service: more than a fleet that fills the plane's range has at rest. */
const MAX_CONNECTIONS = 50_000;
/** Of one drone to the gateway, and as many to the object store: an onboard computer holds a few. */
const MAX_CONNECTIONS_PER_DRONE = 32;
/** The agent holds two, and two more while it reconnects; the others are for further programs on board. */
const MAX_REDIS_CONNECTIONS_PER_DRONE = 8;
const IDLE_TIMEOUT_MS = 30_000;

/** Forwards live drones' connections on the hub's address to the gateway, the object store and Redis, a port each. */
export class Edge {
  private readonly maxPerDrone: number;
  private readonly admission: DroneAdmission;
  private readonly services: Service[] = [];
  private readonly metrics: EdgeMetrics;
  /** What was decided about each connection. */
  private readonly decisions = new WeakMap<Socket, LiveDrone | AdmissionRefusal>();
  private redis: Redis | undefined;
  private users: DroneUsers | undefined;
  private refreshing: Promise<void> | undefined;
  /** The drones whose absence from Redis was last seen to. */
  private tidied: ReturnType<LiveDrones>;
  private stopped = false;

  constructor(private readonly options: EdgeOptions) {
    const { gateway, objects, redis, live, isSettled, registry } = options;
    this.maxPerDrone = options.maxConnectionsPerDrone ?? MAX_CONNECTIONS_PER_DRONE;
    this.admission = new DroneAdmission({ live, isSettled });
    this.metrics = edgeMetrics(registry, this.services);
    const upstream = gateway.url === undefined ? undefined : this.upstream(gateway.url, "The gateway");
    this.addHttp("gateway", gateway.port, API_REQUEST_SECONDS, gatewayProxy(upstream, gateway.secret));
    if (objects) {
      const proxy = objectsProxy(this.upstream(objects.url, "The object store"), objects.closedBucket);
      this.addHttp("objects", objects.port, 0, proxy);
    }
    if (redis) this.addRedis(redis);
  }

  /** Where a service listens; undefined while it does not. */
  url(name: ServiceName): string | undefined {
    return this.services.find((service) => service.name === name)?.url;
  }

  /**
   * Listens where it does not yet, and cuts drones that are no longer live. Call it when the interface may have come up
   * or the fleet may have changed. A failure is logged, and the next call tries again.
   */
  refresh(): Promise<void> {
    this.admission.disconnectRevoked();
    this.refreshing ??= this.listenAndTidy().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** Closes every port and cuts every connection; `refresh` listens again. */
  async close(): Promise<void> {
    await this.refreshing;
    for (const service of this.services) {
      if (service.url === undefined) continue;
      service.url = undefined;
      service.server.close();
      for (const socket of service.sockets) socket.destroy();
    }
  }

  /** Finishes the requests under way and cuts streams. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.refreshing;
    await Promise.all(this.services.map(({ stop }) => stop()));
    this.redis?.disconnect();
  }

  private async listenAndTidy(): Promise<void> {
    const { host, log, live } = this.options;
    for (const service of this.services.filter(({ url }) => url === undefined)) {
      if (this.stopped) return;
      const { name, port, server } = service;
      try {
        service.url = await listen(server as HttpServer, port, host);
        service.hasFailed = false;
        log.info({ service: name, url: service.url }, "The edge listens");
      } catch (error) {
        if (!service.hasFailed) log.error({ service: name, err: error }, "The edge cannot listen");
        service.hasFailed = true;
      }
    }
    const drones = live();
    if (drones && drones !== this.tidied) await this.removeGoneUsers();
  }

  private async removeGoneUsers(): Promise<void> {
    const { live, log } = this.options;
    const drones = live();
    if (!this.users || !drones) return;
    try {
      // Asked after Redis has listed its users: a drone that connected meanwhile is live then.
      const removed = await this.users.keepOnly((ip) => live()?.has(ip) ?? true);
      this.tidied = drones;
      if (removed > 0) log.info({ removed }, "Removed the Redis users of drones that are gone");
    } catch (error) {
      log.warn({ err: error }, "Cannot remove the Redis users of drones that are gone; trying again later");
    }
  }

  private upstream(url: string, name: string): Upstream {
    return { origin: new URL(url), idleTimeoutMs: this.options.idleTimeoutMs ?? IDLE_TIMEOUT_MS, name };
  }

  private addHttp(name: ServiceName, port: number, requestSeconds: number, proxy: HttpProxy): void {
    const { onRejected } = this.options;
    const limits = {
      headersSeconds: 15,
      requestSeconds,
      keepAliveSeconds: 30,
      maxConnections: MAX_CONNECTIONS,
      // Connections beyond a drone's limit are answered with 429, and those beyond twice the limit not at all.
      maxConnectionsPerAddress: 2 * this.maxPerDrone,
      ...(onRejected ? { onRejected } : {}),
    };
    const server = limitedServer((request, reply) => {
      reply.on("finish", () => this.metrics.requests.inc({ service: name, status: reply.statusCode }));
      reply.on("error", () => {});
      const decision = this.decisions.get(request.socket) ?? "not_a_drone";
      if (typeof decision === "string") proxy.fail(request, reply, refusals[decision]);
      else if (this.admission.isCurrent(decision)) proxy.forward(request, reply, decision);
      else request.socket.destroy();
    }, limits);
    this.add({ name, port, server, stop: () => closeServer(server) }, (socket, decision) =>
      this.decisions.set(socket, decision),
    );
  }

  private addRedis({ port, url, secret, bytesPerSecond }: NonNullable<EdgeOptions["redis"]>): void {
    const { log } = this.options;
    const redis = openRedis(url, log);
    redis.on("ready", () => void this.removeGoneUsers());
    this.redis = redis;
    this.users = new DroneUsers(redis, secret);
    const onRejected = (reason: RedisRefusal) => this.metrics.refusals.inc({ service: "redis", reason });
    const connect = redisProxy({ url, users: this.users, log, onRejected, bytesPerSecond });
    const server = createTcpServer();
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of service.sockets) socket.destroy();
      });
    const service = this.add({ name: "redis", port, server, stop }, (socket, decision) => {
      if (typeof decision === "object") void connect(socket, decision);
      else socket.destroy();
    });
  }

  private add(
    fixed: Pick<Service, "name" | "port" | "server" | "stop">,
    onConnection: (socket: Socket, decision: LiveDrone | AdmissionRefusal) => void,
  ): Service {
    const { name, server } = fixed;
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      const maxPerDrone = name === "redis" ? MAX_REDIS_CONNECTIONS_PER_DRONE : this.maxPerDrone;
      const decision = this.admission.admit(socket, name, maxPerDrone);
      if (typeof decision === "string") this.metrics.refusals.inc({ service: name, reason: decision });
      onConnection(socket, decision);
    });
    server.on("error", (error) => {
      if (server.listening)
        this.options.log.error({ service: name, err: error }, "The edge cannot accept a connection");
    });
    const service = { ...fixed, sockets, url: undefined, hasFailed: false };
    this.services.push(service);
    return service;
  }
}

const refusals: Readonly<Record<AdmissionRefusal, ErrorReply>> = {
  not_a_drone: { status: 403, message: "Only drones may connect here, through their tunnel." },
  not_ready: { status: 503, message: "The hub cannot identify this drone yet; try again in a moment." },
  too_many_connections: { status: 429, message: "This drone has as many connections as it may." },
};
