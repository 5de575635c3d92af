import type { IncomingMessage, ServerResponse } from "node:http";
import { type Fault, forward, type Upstream } from "./forward";
import type { LiveDrone } from "./guests";
import { endToEnd } from "./headers";

/** What a drone may not say of itself: who it is, where it comes from, and that it is the edge. */
const ofTheEdge = new Set([
  "x-drone-ip",
  "x-real-ip",
  "forwarded",
  "x-edge-secret",
  "x-client-ip",
  "true-client-ip",
]);
/** Some servers read `X_Drone_IP` as `X-Drone-IP`. */
const isForged = (name: string): boolean => {
  const plain = name.replaceAll("_", "-");
  return ofTheEdge.has(plain) || plain.startsWith("x-forwarded");
};

/** Forwards a drone's requests to the gateway, which learns the drone's true address from us and nobody else. */
export function gatewayDoor(upstream: Upstream | undefined, secret: string | undefined) {
  return (request: IncomingMessage, reply: ServerResponse, drone: LiveDrone): void => {
    const fail = (fault: Fault) => answer(request, reply, fault);
    if (!isPlainPath(request.url ?? "")) {
      fail({ status: 404, message: "Only the gateway's API is here." });
      return;
    }
    if (!upstream) {
      fail({ status: 502, message: "The edge knows no gateway." });
      return;
    }
    const headers = {
      ...endToEnd(request.headers, (name) => !isForged(name) && name !== "host"),
      host: upstream.origin.host,
      "x-drone-ip": drone.ip,
      ...(secret === undefined ? {} : { "x-edge-secret": secret }),
    };
    forward(request, reply, { upstream, headers, fail });
  };
}

/** The API's path as anybody reads it: no dots to climb by, no other host in front of it. */
function isPlainPath(url: string): boolean {
  const [path = ""] = url.split("?");
  return path.startsWith("/api/v1/") && new URL(`http://edge${path}`).pathname === path;
}

/** In the envelope of the routes that drones call. */
export function answer(request: IncomingMessage, reply: ServerResponse, { status, message }: Fault): void {
  const envelope = request.url?.startsWith("/api/v1/drone/") ? "B" : "A";
  const body = envelope === "B" ? { error: message } : { success: false, error: { code: status, message } };
  const text = JSON.stringify(body);
  reply.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    Connection: "close",
  });
  reply.end(text);
}
