import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** What a client asked for by the path of its upgrade. */
export type Wish =
  | { readonly route: "redispad"; readonly droneId: number; readonly token: string | undefined }
  | {
      readonly route: "gamepad";
      readonly droneId: number;
      readonly token: string | undefined;
      readonly port: number;
    };

const DEFAULT_DRONE_PORT = 5001;

/** The wish, or undefined when nothing is there: an unknown path, an id that is not an integer, a bad port. */
export function wishOf(url: string): Wish | undefined {
  const { pathname, searchParams } = new URL(url, "ws://relay");
  const [, route, id] = /^\/(redispad|gamepad)\/(\d+)$/.exec(pathname) ?? [];
  if (!route) return undefined;
  const common = { droneId: Number(id), token: searchParams.get("access_token") ?? undefined };
  if (route === "redispad") return { route, ...common };
  const port = Number(searchParams.get("port") ?? DEFAULT_DRONE_PORT);
  const usable = Number.isInteger(port) && port > 0 && port < 65_536;
  return usable ? { route: "gamepad", ...common, port } : undefined;
}

/** A browser that does not answer a close frame is cut after this long. */
const CLOSE_MS = 2_000;

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
    closeTimeout: CLOSE_MS,
  } as ConstructorParameters<typeof WebSocketServer>[0]);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const wish = readWish(request);
    if (options.closed()) refuse(socket, "503 Service Unavailable", "The relay is restarting.");
    else if (!wish) refuse(socket, "404 Not Found", "There is nothing here.");
    else sockets.handleUpgrade(request, socket, head, (accepted) => options.enter(accepted, wish));
  });
}

function readWish({ url = "/" }: IncomingMessage): Wish | undefined {
  try {
    return wishOf(url);
  } catch {
    return undefined;
  }
}

function refuse(socket: Duplex, status: string, error: string): void {
  const body = JSON.stringify({ error });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
