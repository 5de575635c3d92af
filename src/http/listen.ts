import type { Server, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { openPort } from "../platform/open-port";

/** How long a request may be on its way on a connection that has asked nothing when its server stops. */
const ON_ITS_WAY_MS = 500;

interface Serving {
  /** Those that are not finished. */
  readonly answers: Set<ServerResponse>;
  /** Called when one is finished. */
  closeUnused(): void;
}

const servings = new WeakMap<Server, Serving>();

/** Listen, as `openPort` does, and return `http://host:port`. May be tried again. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  if (!servings.has(server)) watchAnswers(server);
  return `http://${await openPort(server, port, host)}`;
}

function watchAnswers(server: Server): void {
  const serving: Serving = { answers: new Set(), closeUnused: () => {} };
  servings.set(server, serving);
  server.prependListener("request", (_request, answer: ServerResponse) => {
    if (!server.listening) answer.setHeader("connection", "close");
    serving.answers.add(answer);
    answer.once("close", () => {
      serving.answers.delete(answer);
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
  const { answers } = serving;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node would keep the connection of what is answered from now on for as long as ever.
  for (const answer of answers) if (!answer.headersSent) answer.setHeader("connection", "close");
  serving.closeUnused = () => server.closeIdleConnections();
  serving.closeUnused();
  await Promise.race([closed, delay(ON_ITS_WAY_MS, undefined, { ref: false })]);
  // It calls none idle that never asked anything, as browsers open some beforehand, nor one that has asked half.
  serving.closeUnused = () =>
    answers.size === 0 ? server.closeAllConnections() : server.closeIdleConnections();
  serving.closeUnused();
  await closed;
}
