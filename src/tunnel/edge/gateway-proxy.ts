import { type ErrorReply, forward, type HttpProxy, type Upstream } from "./forward";
import { endToEnd } from "./headers";

/** Headers that only the edge may set: the drone's address, the client's address, the edge's secret. */
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

/** Forwards a drone's requests to the gateway, with the drone's true address in `X-Drone-IP`. */
export const gatewayProxy = (upstream: Upstream | undefined, secret: string | undefined): HttpProxy => ({
  forward(request, reply, drone) {
    const fail = (error: ErrorReply) => this.fail(request, reply, error);
    if (!isApiPath(request.url ?? "")) {
      fail({ status: 404, message: "Only the gateway's API is here." });
      return;
    }
    if (!upstream) {
      fail({ status: 502, message: "The edge has no gateway configured." });
      return;
    }
    const headers = {
      ...endToEnd(request.headers, (name) => !isForged(name) && name !== "host"),
      host: upstream.origin.host,
      "x-drone-ip": drone.ip,
      ...(secret === undefined ? {} : { "x-edge-secret": secret }),
    };
    forward(request, reply, { upstream, headers, fail });
  },

  /** In the envelope of the route. */
  fail(request, reply, { status, message }) {
    const isEnvelopeB = request.url?.startsWith("/api/v1/drone/");
    const body = isEnvelopeB ? { error: message } : { success: false, error: { code: status, message } };
    reply.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
    reply.end(JSON.stringify(body));
  },
});

/** The API's path as every server reads it: without dot segments, and without another host in front. */
function isApiPath(url: string): boolean {
  const [path = ""] = url.split("?");
  return path.startsWith("/api/v1/") && new URL(`http://edge${path}`).pathname === path;
}
