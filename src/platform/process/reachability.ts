import { once } from "node:events";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";

const LIMIT_MS = 1_000;

/**
 * Resolves when somebody answers at this URL: any HTTP reply to one of HTTP or WebSocket, a connection to another, by a
 * connection of its own each time. Rejects when nobody does, or a firewall is between.
 */
export async function reaches(url: string): Promise<void> {
  const { protocol, hostname, port } = new URL(url);
  const signal = AbortSignal.timeout(LIMIT_MS);
  if (!/^(http|ws)s?:$/.test(protocol)) {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) });
    await once(socket, "connect", { signal }).finally(() => socket.destroy());
    return;
  }
  const isTls = protocol === "https:" || protocol === "wss:";
  const asked = (isTls ? requestTls : request)(url.replace(/^ws/, "http"), {
    agent: false,
    method: "HEAD",
    signal,
  });
  asked.end();
  await once(asked, "response").finally(() => asked.destroy());
}

/** Whether each neighbour that has a URL is reached, as probes by its name. */
export const reachable = (
  urls: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, () => Promise<void>>> =>
  Object.fromEntries(
    Object.entries(urls).flatMap(([name, url]) => (url === undefined ? [] : [[name, () => reaches(url)]])),
  );
