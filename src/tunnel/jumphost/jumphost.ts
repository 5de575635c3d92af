import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { plainSecurityHeaders } from "../../http/security-headers";
import { INTERNAL_LIMITS, limitedServer, type RejectionReason } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import { refuseUpgrade } from "../../http/server/refuse-upgrade";
import { hasSecretToken } from "../../platform/constant-time-equal";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import type { AddressPolicy, Destination } from "./address-policy";
import { type Claim, FencingNumbers } from "./fencing-numbers";
import { type JumphostMetrics, jumphostMetrics } from "./metrics";
import { Pipe, type PipeLimits } from "./pipe";
import { PipeError } from "./pipe-error";
import { type PipeRequest, readPipeRequest } from "./pipe-request";

interface JumphostLimits extends PipeLimits {
  readonly connectMs: number;
  readonly maxFrameBytes: number;
  readonly maxPipes: number;
}

const LIMITS: JumphostLimits = {
  /** A gateway gives a vehicle's link 5 s; the jumphost's answer has to come before that. */
  connectMs: 4_000,
  /** A vehicle sends a heartbeat each second: a minute without a byte is a dead link. */
  idleMs: 60_000,
  /** A gateway that is gone is noticed within two pings, half of what the idle limit would take. */
  pingMs: 15_000,
  /** A MAVLink frame has 280 bytes; gateways send many in one WebSocket frame. */
  maxFrameBytes: 1_048_576,
  /** About 10 s of a busy telemetry link. */
  maxBufferedBytes: 262_144,
  /** Twice the largest fleet that is measured; each pipe holds two descriptors. */
  maxPipes: 20_000,
};

export interface JumphostOptions extends Partial<JumphostLimits> {
  readonly addresses: AddressPolicy;
  /** The bearer secret that callers present; anyone may dial when there is none. */
  readonly secret: string | undefined;
  /** Gateways lease links: a pipe needs the number of its lease. */
  readonly areLinksLeased: boolean;
  /**
   * The last fencing number given for a link, from the store that gives them, which outlives this process. Where it is
   * absent, or rejects, the numbers seen here decide.
   */
  readonly lastFence?: (link: string) => Promise<number | undefined>;
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

export interface OpenPipe extends Destination {
  readonly fence: number | undefined;
  readonly pipe: Pipe;
}

/** A gateway that does not answer a close frame is cut after this long. */
const CLOSE_MS = 1_000;
/** Connections beyond the pipes: upgrades under way, and upgrades that are being refused. */
const SPARE_CONNECTIONS = 1_000;

/** Opens TCP to a vehicle for a gateway's WebSocket, and carries binary frames both ways. */
export class Jumphost {
  private readonly limits: JumphostLimits;
  private readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly fencingNumbers = new FencingNumbers();
  private readonly open = new Set<OpenPipe>();
  private readonly metrics: JumphostMetrics;
  /** Upgrades that are still connecting count as pipes. */
  private connecting = 0;
  private stopping = false;

  constructor(private readonly options: JumphostOptions) {
    this.limits = { ...LIMITS, ...options };
    this.metrics = jumphostMetrics(options.registry, this.open);
    this.sockets = new WebSocketServer({
      noServer: true,
      clientTracking: true,
      perMessageDeflate: false,
      maxPayload: this.limits.maxFrameBytes,
      closeTimeout: CLOSE_MS,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
    this.server = limitedServer(
      (_request, reply) => {
        const body = JSON.stringify({ error: "The jumphost speaks WebSocket.", reason: "malformed" });
        reply.writeHead(426, {
          ...plainSecurityHeaders,
          "Content-Type": "application/json",
          Upgrade: "websocket",
        });
        reply.end(body);
      },
      {
        ...INTERNAL_LIMITS,
        maxConnections: this.limits.maxPipes + SPARE_CONNECTIONS,
        // A gateway has a pipe for each of its drones.
        maxConnectionsPerAddress: 0,
        ...(options.onRejected ? { onRejected: options.onRejected } : {}),
      },
    );
    this.server.on("upgrade", (request, socket, head) => void this.upgrade(request, socket, head));
  }

  /** The pipes that are open now. */
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

  /** Opens no further pipe and asks every gateway to reconnect; resolves when all connections are closed. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const { pipe } of [...this.open]) pipe.end("stopping");
    await closeServer(this.server);
  }

  /** Every attempt that ends without a pipe is logged and counted. */
  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => gone.abort());
    let claim: Claim | undefined;
    let vehicle: Socket | undefined;
    try {
      this.checkSecret(request);
      const asked = readPipeRequest(request.headers);
      const destination = await this.options.addresses(asked.host, asked.port);
      await this.checkFence(asked, destination);
      this.checkServing();
      if (this.open.size + this.connecting >= this.limits.maxPipes) {
        throw new PipeError("too_many", "The jumphost carries as many pipes as it may.");
      }
      claim = this.fencingNumbers.claim(destination.vehicle, asked.fence);
      vehicle = await this.connect(destination, claim.signal, gone.signal);
      this.checkServing();
      const pipe = { ...destination, fence: asked.fence };
      if (this.carry(request, socket, head, pipe, vehicle, claim)) return;
      // The handshake was malformed, which has been answered, or the gateway left in the middle of it.
      throw new PipeError("malformed", "The WebSocket handshake failed.");
    } catch (error) {
      vehicle?.destroy();
      claim?.release();
      this.refuse(socket, error, gone.signal.aborted || socket.destroyed || socket.writableEnded);
    }
  }

  private checkServing(): void {
    if (this.stopping) throw new PipeError("stopping", "The jumphost restarts; connect again.");
    if (this.options.isActive()) return;
    throw new PipeError("standby", "Another hub serves; this one waits to take over.");
  }

  private checkSecret({ headers }: IncomingMessage): void {
    const { secret } = this.options;
    if (secret === undefined || hasSecretToken(headers.authorization, secret)) return;
    throw new PipeError("unauthenticated", "The tunnel's bearer secret is required.");
  }

  private async checkFence({ fence, link }: PipeRequest, { vehicle }: Destination): Promise<void> {
    const { areLinksLeased, lastFence, log } = this.options;
    if (areLinksLeased && (fence === undefined || link === undefined)) {
      throw new PipeError("fence_required", "Links are leased here: send x-link-fence and x-link-key.");
    }
    if (fence === undefined || link === undefined || !lastFence) return;
    const last = await lastFence(link).catch((cause: unknown) => {
      log.warn({ link, err: cause }, "Cannot read a link's fencing number; the numbers seen here decide");
      if (!areLinksLeased || this.fencingNumbers.knows(vehicle)) return;
      throw new PipeError("fence_unverified", "The holder of this vehicle's link is not known now.", {
        cause,
      });
    });
    if (last !== undefined && fence < last) {
      throw new PipeError("deposed", `The fencing number ${last} was given to a newer holder.`);
    }
  }

  /** Rejects with a PipeError: refused, not routed, too slow, or deposed meanwhile; also when the gateway has left. */
  private async connect(
    { address, port, isDrone }: Destination,
    deposed: AbortSignal,
    gone: AbortSignal,
  ): Promise<Socket> {
    const { from } = this.options;
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 10_000,
      ...(isDrone && from ? { localAddress: from } : {}),
    });
    const signal = AbortSignal.any([deposed, gone, AbortSignal.timeout(this.limits.connectMs)]);
    this.connecting++;
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch (cause) {
      socket.destroy();
      if (deposed.aborted) throw new PipeError("deposed", "A newer holder took this vehicle over meanwhile.");
      const { code = "" } = cause as NodeJS.ErrnoException;
      throw signal.aborted || code === "ETIMEDOUT"
        ? new PipeError("timeout", `${address}:${port} does not answer.`, { cause })
        : new PipeError("unreachable", `${address}:${port} refuses (${code}).`, { cause });
    } finally {
      this.connecting--;
    }
  }

  /** Completes the handshake and joins both ends. False when the handshake failed. */
  private carry(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { vehicle: name, fence, ...rest }: Omit<OpenPipe, "pipe">,
    vehicle: Socket,
    claim: Claim,
  ): boolean {
    const { isActive, log } = this.options;
    let upgraded = false;
    this.sockets.handleUpgrade(request, socket, head, (gateway) => {
      upgraded = true;
      const pipe = new Pipe({
        ...this.limits,
        isActive,
        gateway,
        vehicle,
        deposed: claim.signal,
        onBytes: (direction, count) => this.metrics.bytes.inc({ direction }, count),
        onEnd: (reason) => {
          claim.release();
          this.open.delete(entry);
          this.metrics.ends.inc({ reason });
          log.info({ vehicle: name, fence, reason }, "A pipe ended");
        },
      });
      const entry: OpenPipe = { ...rest, vehicle: name, fence, pipe };
      this.open.add(entry);
      log.info({ vehicle: name, fence }, "Opened a pipe");
    });
    return upgraded;
  }

  private refuse(socket: Duplex, error: unknown, isAnswered: boolean): void {
    const refused =
      error instanceof PipeError
        ? error
        : new PipeError("unreachable", "The jumphost failed.", { cause: error });
    const { reason, message, status, cause } = refused;
    if (!isAnswered) refuseUpgrade(socket, status, { error: message, reason });
    this.metrics.refusals.inc({ reason });
    this.options.log.info({ reason, message, ...(cause ? { err: cause } : {}) }, "Refused a pipe");
  }
}
