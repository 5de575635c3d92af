import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** POSTs JSON over one kept connection. `fetch` takes some milliseconds of its own for a body, which are not the server's. */
export function poster(base: string, token: string): (path: string, body: object) => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(`${base}${path}`, { method: "POST", agent, headers }).end(JSON.stringify(body));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await text(response);
    return response.statusCode as number;
  };
}
