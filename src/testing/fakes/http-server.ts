import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { closeServer, listen } from "../../http/server/listen";
import { atEndOfFile } from "../clean-up";

export interface FakeReply {
  readonly status: number;
  /** The body's content type. */
  readonly type: string;
  readonly body: string;
}

/** Serves these replies on loopback until the end of the file; a request without one stays open. Resolves with the URL. */
export async function serveFake(
  answer: (request: IncomingMessage, body: string) => FakeReply | undefined,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const reply = answer(request, await text(request));
    if (reply) response.writeHead(reply.status, { "content-type": reply.type }).end(reply.body);
  });
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => {
    server.closeAllConnections();
    return closeServer(server);
  });
  return url;
}
