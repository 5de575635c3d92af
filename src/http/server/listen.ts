import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openPort } from "../../platform/process/open-port";

/** How long a request may be on its way on a connection that has asked nothing when its server stops. */
const ON_ITS_WAY_MS = 500;

/** The latest request of a connection. */
interface Asked {
  readonly answer: ServerResponse;
  /** Bytes that had been read from the connection when it was over: more are its next request's. */
  readUntil: number;
}

interface Serving {
  /** The connections that have asked. */
  readonly asked: Map<Socket, Asked>;
  /** Called when an answer is over. */
  closeUnused(): void;
}

const servings = new WeakMap<Server, Serving>();

/** Listen, as `openPort` does, and return `http://host:port`. May be tried again. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  if (!servings.has(server)) watchAnswers(server);
  return `http://${await openPort(server, port, host)}`;
}

function watchAnswers(server: Server): void {
  const asked: Serving["asked"] = new Map();
  const serving: Serving = { asked, closeUnused: () => {} };
  servings.set(server, serving);
  server.prependListener("request", ({ socket }, answer: ServerResponse) => {
    if (!server.listening) answer.setHeader("connection", "close");
    if (!asked.has(socket)) socket.once("close", () => asked.delete(socket));
    const latest = { answer, readUntil: Number.NaN };
    asked.set(socket, latest);
    answer.once("close", () => {
      latest.readUntil = socket.bytesRead;
      serving.closeUnused();
    });
  });
}

/**
 * Take nothing new, let open requests finish, and close each connection on which none is under way. For what listens by
 * `listen`, if ever it did.
 */
export async function closeServer(server: Server): Promise<void> {
  const serving = servings.get(server);
  if (!serving) return;
  const underWay = () => [...serving.asked.values()].filter(({ answer }) => !answer.closed);
  serving.closeUnused = () => {
    for (const [socket, { answer, readUntil }] of serving.asked)
      if (answer.closed && socket.bytesRead === readUntil) socket.destroy();
  };
  // Node calls it when it closes, and would cut whatever is answered and still on its way to a slow reader.
  server.closeIdleConnections = serving.closeUnused;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node would keep the connection of what is answered from now on for as long as ever.
  for (const { answer } of underWay()) if (!answer.headersSent) answer.setHeader("connection", "close");
  await Promise.race([closed, delay(ON_ITS_WAY_MS, undefined, { ref: false })]);
  // There are those that never asked anything, as browsers open some beforehand, and those that have asked half.
  const { closeUnused } = serving;
  serving.closeUnused = () => (underWay().length === 0 ? server.closeAllConnections() : closeUnused());
  serving.closeUnused();
  await closed;
}
