import type { IncomingMessage, Server } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { plainProtection } from "../../http/protective-headers";
import { INTERNAL_LIMITS, limitedServer, type RejectionReason } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import { refuseUpgrade } from "../../http/server/refuse-upgrade";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import { type Claim, Fences } from "./fences";
import { type JumphostMetrics, jumphostMetrics } from "./metrics";
import { Pipe, type PipeLimits } from "./pipe";
import type { Destination, Reach } from "./reach";
import { Refusal, statusOf } from "./refusal";
import { readWish, type Wish } from "./wish";

export interface JumphostOptions extends PipeLimits {
  readonly reach: Reach;
  /** The bearer secret that callers present; anyone may dial when there is none. */
  readonly secret: string | undefined;
  /** Gateways lease links: nobody gets a pipe without the number of his lease. */
  readonly areLinksLeased: boolean;
  /**
   * The last fencing number given for a link, by whoever gives them: it outlives this process, and so do refusals.
   * Where it is absent, or rejects, the numbers seen here decide; of a leased link none may have been seen.
   */
  readonly lastFence?: (link: string) => Promise<number | undefined>;
  readonly connectMs: number;
  readonly maxFrameBytes: number;
  readonly maxPipes: number;
  readonly maxPipesPerVehicle: number;
  readonly onRejected?: (reason: RejectionReason) => void;
  /**
   * The address that drones are dialled from: the hub's in their plane. Without that interface a dial fails, and
   * leaves by no other.
   */
  readonly from: string | undefined;
  /** Whether this hub is the one that serves. */
  readonly isActive: () => boolean;
  readonly log: Logger;
  readonly registry: Registry;
}

/** A pipe as it was asked for. */
export interface OpenPipe extends Destination {
  readonly fence: number | undefined;
  readonly pipe: Pipe;
}

/** A gateway that does not answer a close frame is cut after this long. */
const CLOSE_MS = 1_000;
/** Connections beyond its pipes: those that are about to be one, or are told why not. */
const SPARE_CONNECTIONS = 1_000;

/** Opens TCP to a vehicle for a gateway's WebSocket, and carries binary frames both ways. */
export class Jumphost {
  private readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly fences = new Fences();
  private readonly open = new Set<OpenPipe>();
  private readonly metrics: JumphostMetrics;
  /** Upgrades that are still connecting count as pipes. */
  private connecting = 0;
  private stopping = false;

  constructor(private readonly options: JumphostOptions) {
    this.metrics = jumphostMetrics(options.registry, () => this.open.size);
    this.sockets = new WebSocketServer({
      noServer: true,
      clientTracking: true,
      perMessageDeflate: false,
      maxPayload: options.maxFrameBytes,
      closeTimeout: CLOSE_MS,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
    this.server = limitedServer(
      (_request, reply) => {
        const body = JSON.stringify({ error: "The jumphost speaks WebSocket.", reason: "malformed" });
        reply.writeHead(426, {
          ...plainProtection,
          "Content-Type": "application/json",
          Upgrade: "websocket",
        });
        reply.end(body);
      },
      {
        ...INTERNAL_LIMITS,
        maxConnections: options.maxPipes + SPARE_CONNECTIONS,
        // A gateway has a pipe for each of its drones.
        maxConnectionsPerAddress: 0,
        ...(options.onRejected ? { onRejected: options.onRejected } : {}),
      },
    );
    this.server.on("upgrade", (request, socket, head) => void this.enter(request, socket, head));
  }

  /** Those open now. */
  get pipes(): ReadonlySet<OpenPipe> {
    return this.open;
  }

  /** Resolves with `ws://host:port`. */
  async listen(port: number, host: string): Promise<string> {
    return (await listen(this.server, port, host)).replace("http", "ws");
  }

  /** Another hub serves from now on: not a byte more goes to a vehicle from here. */
  standBy(): void {
    for (const { pipe } of [...this.open]) pipe.end("standby");
  }

  /** Takes nobody new and tells everybody to come again; resolves when the last has gone. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const { pipe } of [...this.open]) pipe.end("stopping");
    await closeServer(this.server);
  }

  /** Its metrics and log name every attempt that ends without a pipe. */
  private async enter(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => gone.abort());
    let claim: Claim | undefined;
    try {
      this.checkSecret(request);
      const wish = readWish(request.headers);
      const destination = await this.options.reach.find(wish);
      await this.refuseReplaced(wish, destination);
      this.checkServing();
      this.checkCounts(destination, wish.fence);
      claim = this.fences.claim(destination.vehicle, wish.fence);
      const vehicle = await this.connect(destination, claim.signal, gone.signal);
      try {
        this.checkServing();
      } catch (error) {
        vehicle.destroy();
        throw error;
      }
      this.carry(request, socket, head, { ...destination, fence: wish.fence }, vehicle, claim);
    } catch (error) {
      claim?.release();
      this.turnAway(socket, error, gone.signal.aborted);
    }
  }

  private checkServing(): void {
    if (this.stopping) throw new Refusal("stopping", "The jumphost restarts; connect again.");
    if (this.options.isActive()) return;
    throw new Refusal("standby", "Another hub serves; this one waits to take over.");
  }

  private checkSecret({ headers }: IncomingMessage): void {
    const { secret } = this.options;
    if (secret === undefined) return;
    const [, given = ""] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? [];
    if (!constantTimeEqual(given, secret)) {
      throw new Refusal("unauthenticated", "The tunnel's bearer secret is required.");
    }
  }

  private async refuseReplaced({ fence, link }: Wish, { vehicle }: Destination): Promise<void> {
    const { areLinksLeased, lastFence, log } = this.options;
    if (areLinksLeased && (fence === undefined || link === undefined)) {
      throw new Refusal("unnumbered", "Links are leased here: x-link-fence and x-link-key have to be sent.");
    }
    if (fence === undefined || link === undefined || !lastFence) return;
    const last = await lastFence(link).catch((cause: unknown) => {
      log.warn({ link, err: cause }, "a link's fencing number cannot be asked; those seen here decide");
      if (!areLinksLeased || this.fences.knows(vehicle)) return;
      throw new Refusal("unverified", "Nobody can say now who holds this vehicle's link.", { cause });
    });
    if (last !== undefined && fence < last) {
      throw new Refusal("deposed", `The fencing number ${last} was given to a newer holder.`);
    }
  }

  /** A numbered claim takes the others' places, so it needs no room beside them. */
  private checkCounts({ vehicle }: Destination, fence: number | undefined): void {
    const { maxPipes, maxPipesPerVehicle } = this.options;
    if (this.open.size + this.connecting >= maxPipes) {
      throw new Refusal("too_many", "The jumphost carries as many pipes as it may.");
    }
    if (fence === undefined && this.fences.count(vehicle) >= maxPipesPerVehicle) {
      throw new Refusal("too_many_to_vehicle", "There are as many pipes to this vehicle as there may be.");
    }
  }

  /** Rejects with a Refusal: refused or not routed, too slow, deposed meanwhile, or nobody waits any more. */
  private connect(
    { address, port, isDrone }: Destination,
    deposed: AbortSignal,
    gone: AbortSignal,
  ): Promise<Socket> {
    const { connectMs, from } = this.options;
    this.connecting++;
    return new Promise<Socket>((resolve, reject) => {
      const late = AbortSignal.timeout(connectMs);
      const giveUp = AbortSignal.any([deposed, gone, late]);
      const socket = connect({
        host: address,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: 10_000,
        ...(isDrone && from ? { localAddress: from } : {}),
      });
      const fail = (refusal: Refusal) => {
        giveUp.removeEventListener("abort", abort);
        socket.destroy();
        reject(refusal);
      };
      const abort = () =>
        fail(
          deposed.aborted
            ? new Refusal("deposed", "A newer holder took this vehicle over meanwhile.")
            : new Refusal("timeout", `${address}:${port} does not answer.`),
        );
      const failed = (error: NodeJS.ErrnoException) =>
        fail(
          error.code === "ETIMEDOUT"
            ? new Refusal("timeout", `${address}:${port} does not answer.`, { cause: error })
            : new Refusal("unreachable", `${address}:${port} refuses (${error.code}).`, { cause: error }),
        );
      if (giveUp.aborted) return abort();
      giveUp.addEventListener("abort", abort, { once: true });
      socket.once("error", failed);
      socket.once("connect", () => {
        giveUp.removeEventListener("abort", abort);
        socket.off("error", failed);
        resolve(socket);
      });
      return undefined;
    }).finally(() => {
      this.connecting--;
    });
  }

  private carry(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    wish: Omit<OpenPipe, "pipe">,
    vehicle: Socket,
    claim: Claim,
  ): void {
    let entered = false;
    this.sockets.handleUpgrade(request, socket, head, (gateway) => {
      entered = true;
      const pipe = new Pipe({
        ...this.options,
        gateway,
        vehicle,
        deposed: claim.signal,
        onBytes: (direction, count) => this.metrics.carried(direction, count),
        onEnd: (reason) => {
          claim.release();
          this.open.delete(entry);
          this.metrics.ended(reason);
          this.options.log.info({ vehicle: wish.vehicle, fence: wish.fence, reason }, "a pipe ended");
        },
      });
      const entry: OpenPipe = { ...wish, pipe };
      this.open.add(entry);
      this.options.log.info({ vehicle: wish.vehicle, fence: wish.fence }, "a pipe is open");
    });
    if (entered) return;
    // The handshake was none, which has been answered, or the gateway left in the middle of it.
    vehicle.destroy();
    claim.release();
    this.metrics.refused("malformed");
  }

  private turnAway(socket: Duplex, error: unknown, isGone: boolean): void {
    const refusal =
      error instanceof Refusal ? error : new Refusal("unreachable", "The jumphost failed.", { cause: error });
    const { reason, message, cause } = refusal;
    if (!isGone) refuseUpgrade(socket, statusOf(reason), { error: message, reason });
    this.metrics.refused(reason);
    this.options.log.info({ reason, message, ...(cause ? { err: cause } : {}) }, "no pipe is opened");
  }
}
