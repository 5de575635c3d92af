import { once } from "node:events";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import { hostOf } from "./open-port";

const LIMIT_MS = 1_000;

/** Of protocols other than HTTP and WebSocket. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "smtp:": 587,
  "smtps:": 465,
};

/**
 * Resolve when the server of this URL answers: with any HTTP reply for HTTP or WebSocket, by accepting the connection
 * otherwise. Reject after a second, or with the connection's error. Each call opens a connection of its own.
 */
export async function assertReachable(url: string): Promise<void> {
  const server = new URL(url);
  const { protocol, port } = server;
  const signal = AbortSignal.timeout(LIMIT_MS);
  if (!/^(http|ws)s?:$/.test(protocol)) {
    const socket = connect({
      host: hostOf(server),
      port: Number(port || DEFAULT_PORTS[protocol]),
    });
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

/** Where one of our servers says that it is there; it does not log this request, as it does every other. */
export const healthUrl = (origin: string | undefined): string | undefined =>
  origin && new URL("/healthz", origin).href;

/** A probe, by name, for each dependency that has a URL. */
export const reachabilityProbes = (
  urls: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, () => Promise<void>>> =>
  Object.fromEntries(
    Object.entries(urls).flatMap(([name, url]) =>
      url === undefined ? [] : [[name, () => assertReachable(url)]],
    ),
  );
