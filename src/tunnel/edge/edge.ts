import { Agent as HttpAgent, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { limitedServer, type RejectionReason } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import { openPort } from "../../platform/process/open-port";
import { openRedis, type Redis } from "../../platform/redis/client";
import type { Door, Visit } from "./door";
import { DroneUsers } from "./drone-users";
import type { Fault, Upstream } from "./forward";
import { answer as answerAsGateway, gatewayDoor } from "./gateway-door";
import { Guests, type GuestsOptions, type LiveDrone, type LiveDrones, type Stranger } from "./guests";
import { type DoorName, type EdgeMetrics, edgeMetrics } from "./metrics";
import { answer as answerAsStore, objectsDoor } from "./objects-door";
import { redisDoor } from "./redis-door";

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
  readonly redis: { readonly port: number; readonly url: string; readonly secret: string } | undefined;
  readonly live: LiveDrones;
  readonly isSettled: GuestsOptions["isSettled"];
  readonly silenceMs: number;
  readonly maxConnectionsPerDrone: number;
  readonly onRejected?: (reason: RejectionReason) => void;
  readonly log: Logger;
  readonly registry: Registry;
}

/** A request to the API is small; an upload takes what its link takes, as long as it goes on. */
const API_REQUEST_SECONDS = 60;
/** Of all drones together at one door: more than a fleet that fills the plane's range has at rest. */
const MAX_CONNECTIONS = 50_000;

/**
 * What drones reach on the hub: the gateway, the object store and Redis, at a port each.
 *
 * A door opens when its address is there, that is once the interface is up, and stays open. Whoever comes is told by
 * the address that the packets come from; who is no live drone gets nowhere.
 */
export class Edge {
  private readonly guests: Guests;
  private readonly doors: Door[] = [];
  private readonly metrics: EdgeMetrics;
  private readonly verdicts = new WeakMap<Socket, LiveDrone | Stranger>();
  private readonly shut = new Set<DoorName>();
  private redis: Redis | undefined;
  private users: DroneUsers | undefined;
  private attending: Promise<void> | undefined;
  private knownUsers: ReturnType<LiveDrones>;
  private stopped = false;

  constructor(private readonly options: EdgeOptions) {
    const { gateway, objects, redis, live, registry } = options;
    this.guests = new Guests({
      live,
      isSettled: options.isSettled,
      maxPerDrone: options.maxConnectionsPerDrone,
    });
    this.metrics = edgeMetrics(registry, () =>
      this.doors.map(({ name, url, sockets }) => ({
        name,
        open: url !== undefined,
        connections: sockets.size,
      })),
    );
    const upstream = gateway.url === undefined ? undefined : this.upstream(gateway.url, "The gateway");
    this.http(
      "gateway",
      gateway.port,
      API_REQUEST_SECONDS,
      gatewayDoor(upstream, gateway.secret),
      answerAsGateway,
    );
    if (objects) {
      const { closedBucket } = objects;
      const handle = objectsDoor({ upstream: this.upstream(objects.url, "The object store"), closedBucket });
      this.http("objects", objects.port, 0, handle, (_request, reply, fault) => answerAsStore(reply, fault));
    }
    if (redis) this.openRedis(redis);
  }

  /** Where a door listens, `http://host:port` whatever is spoken there; undefined while it does not. */
  url(name: DoorName): string | undefined {
    return this.doors.find((door) => door.name === name)?.url;
  }

  /**
   * To be called when the interface may have come up or the fleet may have changed: opens what is not open yet, and
   * cuts whoever is no longer live. Resolves when that is done; a failure is logged, and mended by the next call.
   */
  attend(): Promise<void> {
    this.guests.recheck();
    this.attending ??= this.openDoors().finally(() => {
      this.attending = undefined;
    });
    return this.attending;
  }

  /** Closes every door and cuts whoever is inside; `attend` opens them again. */
  async shutDoors(): Promise<void> {
    await this.attending;
    for (const door of this.doors) {
      if (door.url === undefined) continue;
      door.url = undefined;
      door.server.close();
      for (const socket of door.sockets) socket.destroy();
    }
  }

  /** Requests under way are finished, streams are cut. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.attending;
    await Promise.all(this.doors.map(({ close, sockets }) => close(sockets)));
    this.redis?.disconnect();
  }

  private async openDoors(): Promise<void> {
    const { host, log, live } = this.options;
    for (const door of this.doors.filter(({ url }) => url === undefined)) {
      if (this.stopped) return;
      try {
        door.url = await door.open(host);
        this.shut.delete(door.name);
        log.info({ door: door.name, url: door.url }, "the edge listens");
      } catch (error) {
        if (!this.shut.has(door.name))
          log.error({ door: door.name, err: error }, "a door of the edge stays shut");
        this.shut.add(door.name);
      }
    }
    const drones = live();
    if (drones && drones !== this.knownUsers) await this.tidyUsers();
  }

  /** Users of Redis whose drones are gone go too. */
  private async tidyUsers(): Promise<void> {
    const { live, log } = this.options;
    const drones = live();
    if (!this.users || !drones) return;
    try {
      // Asked after Redis has told its users: a drone that came meanwhile is live then.
      const removed = await this.users.keepOnly((ip) => live()?.has(ip) ?? true);
      this.knownUsers = drones;
      if (removed > 0) log.info({ removed }, "drones that are gone have no user in Redis any more");
    } catch (error) {
      log.warn({ err: error }, "users of Redis cannot be tidied now; tried again");
    }
  }

  private upstream(url: string, name: string): Upstream {
    const origin = new URL(url);
    // A kept connection may be closed by the far side just when a request goes out, which cannot be told from a
    // request that was carried out: each has a connection of its own.
    const settings = { keepAlive: false };
    const agent = origin.protocol === "https:" ? new HttpsAgent(settings) : new HttpAgent(settings);
    return { origin, agent, silenceMs: this.options.silenceMs, name };
  }

  private http(
    name: DoorName,
    port: number,
    requestSeconds: number,
    handle: (request: IncomingMessage, reply: ServerResponse, drone: LiveDrone) => void,
    answer: (request: IncomingMessage, reply: ServerResponse, fault: Fault) => void,
  ): void {
    const { maxConnectionsPerDrone, onRejected } = this.options;
    const limits = {
      headersSeconds: 15,
      requestSeconds,
      keepAliveSeconds: 30,
      maxConnections: MAX_CONNECTIONS,
      // Who has as many as it may is told so; who goes on all the same is not.
      maxConnectionsPerAddress: 2 * maxConnectionsPerDrone,
      ...(onRejected ? { onRejected } : {}),
    };
    const server = limitedServer((request, reply) => {
      reply.on("finish", () => this.metrics.answered(name, reply.statusCode));
      reply.on("error", () => {});
      const drone = this.verdicts.get(request.socket) ?? "no_drone";
      if (typeof drone === "string") answer(request, reply, refusals[drone]);
      else if (this.guests.isStill(drone)) handle(request, reply, drone);
      else request.socket.destroy();
    }, limits);
    this.door(name, server, {
      enter: (socket, drone) => this.verdicts.set(socket, drone),
      open: (host) => listen(server, port, host),
      close: () => closeServer(server),
    });
  }

  private openRedis({ port, url, secret }: NonNullable<EdgeOptions["redis"]>): void {
    const { log } = this.options;
    const redis = openRedis(url, log);
    redis.on("ready", () => void this.tidyUsers());
    this.redis = redis;
    this.users = new DroneUsers(redis, secret);
    const enter = redisDoor({
      url,
      users: this.users,
      log,
      onRefused: () => this.metrics.refused("redis", "not_allowed"),
    });
    const server = createTcpServer();
    this.door("redis", server, {
      enter: (socket, drone) => {
        if (typeof drone === "object") void enter(socket, drone);
        else socket.destroy();
      },
      open: async (host) => `http://${await openPort(server, port, host)}`,
      close: (sockets) =>
        new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        }),
    });
  }

  private door(name: DoorName, server: Server, { enter, open, close }: Visit): void {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      const drone = this.guests.admit(socket);
      if (typeof drone === "string") this.metrics.refused(name, drone);
      enter(socket, drone);
    });
    server.on("error", (error) => {
      if (server.listening)
        this.options.log.error({ door: name, err: error }, "the edge takes no connection");
    });
    this.doors.push({ name, server, sockets, open, close, url: undefined });
  }
}

const refusals: Readonly<Record<Stranger, Fault>> = {
  no_drone: { status: 403, message: "Only a drone may come here, through its tunnel." },
  not_yet: { status: 503, message: "The hub does not know yet who this is; try again in a moment." },
  too_many: { status: 429, message: "This drone has as many connections as it may." },
};
