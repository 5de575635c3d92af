import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import {
  DEFAULT_DRONE_PORT,
  MAX_FRAGMENTS,
  type PilotRoute,
  pilotRoutes,
  upgradeRefusals,
} from "../domain/relay-sockets";
import { refuseUpgrade } from "../http/server/refuse-upgrade";

/** The path and query of a client's upgrade. */
export interface SessionRequest {
  readonly route: PilotRoute;
  readonly droneId: number;
  readonly token: string | undefined;
  /** Of the drone's own WebSocket; only `/gamepad` uses it. */
  readonly port: number;
}

const pilotPath = new RegExp(`^/(${pilotRoutes.join("|")})/(\\d+)$`);

/** Undefined for an unknown path, an id that is not an integer, or a bad port. */
function parseSessionRequest(url: string): SessionRequest | undefined {
  // Not parsed as a URL, which would resolve dots, slashes and other hosts.
  const [path = "", query] = url.split("?", 2);
  const [, name, id] = pilotPath.exec(path) ?? [];
  const route = pilotRoutes.find((known) => known === name);
  if (!route) return undefined;
  const searchParams = new URLSearchParams(query);
  const digits = searchParams.get("port") ?? String(DEFAULT_DRONE_PORT);
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (route === "gamepad" && (port < 1 || port > 65_535)) return undefined;
  return { route, droneId: Number(id), token: searchParams.get("access_token") ?? undefined, port };
}

/** A browser that does not answer a close frame is disconnected after this long. */
const CLOSE_MS = 2_000;

/** Accepts the WebSockets of pilots on the server; 404 for any other path, 503 while `draining`. */
export function acceptUpgrades(
  server: Server,
  options: {
    readonly maxFrameBytes: number;
    readonly draining: () => boolean;
    readonly onSession: (socket: WebSocket, request: SessionRequest) => void;
  },
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes,
    maxFragments: MAX_FRAGMENTS,
    closeTimeout: CLOSE_MS,
  } as ConstructorParameters<typeof WebSocketServer>[0]);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const session = parseSessionRequest(request.url ?? "");
    if (options.draining()) refuse(socket, "restarting");
    else if (!session) refuse(socket, "notFound");
    else sockets.handleUpgrade(request, socket, head, (accepted) => options.onSession(accepted, session));
  });
}

function refuse(socket: Duplex, why: keyof typeof upgradeRefusals): void {
  const { status, error } = upgradeRefusals[why];
  refuseUpgrade(socket, status, { error });
}
