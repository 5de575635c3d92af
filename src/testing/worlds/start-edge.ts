import { request as requestHttp } from "node:http";
import { connect, type Socket } from "node:net";
import type { Ipv4 } from "../../domain/ipv4";
import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import type { LiveDrone } from "../../tunnel/edge/admission";
import { Edge, type EdgeOptions } from "../../tunnel/edge/edge";
import { atEndOfFile } from "../clean-up";

export interface TestEdge {
  readonly edge: Edge;
  /** The drones with a tunnel. A test may change them, and calls `look` to apply the change. */
  readonly live: Map<string, LiveDrone>;
  look(): Promise<void>;
  metrics(): Promise<string>;
}

/** The tunnel's edge on loopback. Addresses of 127.0.0.0/8 stand in for the drones that `live` names. */
export async function startEdge(
  drones: readonly string[],
  options: Partial<EdgeOptions> = {},
): Promise<TestEdge> {
  const live = new Map(drones.map((ip, at) => [ip, { ip: ip as Ipv4, keyId: `key-${at}` }]));
  let known = new Map(live);
  const registry = createMetrics("test");
  const edge = new Edge({
    host: "127.0.0.1",
    gateway: { port: 0, url: undefined, secret: undefined },
    objects: undefined,
    redis: undefined,
    live: () => known,
    isSettled: () => true,
    idleTimeoutMs: 5_000,
    log: createLogger("test", "silent"),
    registry,
    ...options,
  });
  atEndOfFile(() => edge.stop());
  await edge.refresh();
  return {
    edge,
    live,
    look: () => {
      known = new Map(live);
      return edge.refresh();
    },
    metrics: () => registry.metrics(),
  };
}

export interface EdgeReply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

export interface EdgeRequest {
  readonly method?: string;
  /** A list is sent as repeated headers. */
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer | string;
}

/** A request from a drone's address. */
export function requestFrom(
  drone: string,
  url: string,
  { method, headers, body }: EdgeRequest = {},
): Promise<EdgeReply> {
  return new Promise((resolve, reject) => {
    const asked = requestHttp(
      url,
      { localAddress: drone, method: method ?? "GET", headers: headers ?? {}, agent: false },
      (reply) => {
        let text = "";
        reply.on("data", (chunk) => {
          text += chunk;
        });
        reply.on("error", reject);
        reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** A TCP connection from a drone's address, and the received bytes as Latin-1. */
export function connectFrom(drone: string, url: string): { socket: Socket; said(): string } {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: drone });
  const chunks: Buffer[] = [];
  socket.on("error", () => {});
  socket.on("data", (chunk) => chunks.push(chunk));
  atEndOfFile(async () => void socket.destroy());
  return { socket, said: () => Buffer.concat(chunks).toString("latin1") };
}
