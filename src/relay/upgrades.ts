import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { refuseUpgrade } from "../http/server/refuse-upgrade";

/** The WebSockets that pilots open, each at `/<route>/<drone id>`; in the strict profile for a drone's owner alone. */
export const pilotRoutes = ["redispad", "gamepad"] as const;
export type PilotRoute = (typeof pilotRoutes)[number];

/** What a client asked for by the path of its upgrade. */
export type Wish =
  | { readonly route: "redispad"; readonly droneId: number; readonly token: string | undefined }
  | {
      readonly route: "gamepad";
      readonly droneId: number;
      readonly token: string | undefined;
      readonly port: number;
    };

const DEFAULT_DRONE_PORT = "5001";

const pilotPath = new RegExp(`^/(${pilotRoutes.join("|")})/(\\d+)$`);

/** The wish, or undefined when nothing is there: an unknown path, an id that is not an integer, a bad port. */
export function wishOf(url: string): Wish | undefined {
  // As it was sent: what a URL's parser makes of dots, slashes and other hosts is not what was asked for.
  const [path = "", query] = url.split("?", 2);
  const [, route, id] = pilotPath.exec(path) ?? [];
  if (!route) return undefined;
  const searchParams = new URLSearchParams(query);
  const common = { droneId: Number(id), token: searchParams.get("access_token") ?? undefined };
  if (route === "redispad") return { route, ...common };
  const digits = searchParams.get("port") ?? DEFAULT_DRONE_PORT;
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port > 0 && port < 65_536 ? { route: "gamepad", ...common, port } : undefined;
}

/** A browser that does not answer a close frame is cut after this long. */
const CLOSE_MS = 2_000;
/** Nobody sends a stick frame in more pieces, each of which holds on to the packet that it came in. */
const MAX_FRAGMENTS = 64;

/** Accept WebSockets on the server for every wish; 404 without one, 503 once `closed` says so. */
export function openDoors(
  server: Server,
  options: {
    readonly maxFrameBytes: number;
    readonly closed: () => boolean;
    readonly enter: (socket: WebSocket, wish: Wish) => void;
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
    const wish = wishOf(request.url ?? "");
    if (options.closed()) refuseUpgrade(socket, 503, { error: "The relay is restarting." });
    else if (!wish) refuseUpgrade(socket, 404, { error: "There is nothing here." });
    else sockets.handleUpgrade(request, socket, head, (accepted) => options.enter(accepted, wish));
  });
}
