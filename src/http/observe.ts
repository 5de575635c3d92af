import { randomUUID } from "node:crypto";
import type { Context, Middleware } from "koa";
import proxyaddr from "proxy-addr";
import { unmapIpv4 } from "../domain/ipv4";
import type { Logger } from "../platform/process/log";
import { Counter, Histogram, type Registry } from "../platform/process/metrics";
import { opsPaths } from "./ops";
import type { Route } from "./route";

/** As nginx logs a client that disconnected before its reply was sent. */
const CLIENT_CLOSED_REQUEST = 499;

const usableId = /^[\w.:-]{1,64}$/;

/**
 * The first middleware: gives a request its id (the caller's own when it is usable) and its true address,
 * measures it by route, and writes its one log line.
 */
export function observeRequests(
  log: Logger,
  registry: Registry,
  trustedProxies: readonly string[],
): Middleware {
  const trust = proxyaddr.compile([...trustedProxies]);
  const requests = new Counter({
    name: "fleet_http_requests_total",
    help: "HTTP requests by route and status.",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "fleet_http_request_duration_seconds",
    help: "Time from a request's head to its reply's end, by route.",
    labelNames: ["method", "route"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  // The fields of a request's line are fixed and hold no secret. Redaction would cost more than the rest of the line.
  const lines = log.child({}, { redact: [] });
  return async (ctx, next) => {
    const started = process.hrtime.bigint();
    const given = ctx.get("x-request-id");
    const id = usableId.test(given) ? given : randomUUID();
    ctx.set("X-Request-Id", id);
    ctx.state.address = unmapIpv4(proxyaddr(ctx.req, trust));
    ctx.state.log = log;
    ctx.state.requestId = id;
    ctx.res.once("close", () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      // Nothing was answered: the status that Koa has by default, 404, would be wrong.
      const disconnected = !ctx.res.writableFinished;
      const status = disconnected ? CLIENT_CLOSED_REQUEST : ctx.status;
      const code = disconnected ? "client_closed_request" : ctx.state.errorCode;
      const labels = { method: ctx.method, route: (ctx.state.route as Route | undefined)?.path ?? "none" };
      requests.inc({ ...labels, status: String(status) });
      duration.observe(labels, seconds);
      lines[levelOf(ctx, status)](
        {
          request_id: id,
          ...labels,
          path: loggedPath(ctx),
          status,
          ms: Math.round(seconds * 1e4) / 10,
          address: ctx.state.address,
          ...(code ? { code } : {}),
        },
        "request",
      );
    });
    await next();
  };
}

/**
 * The log with the request's id, where requests are observed. Made on demand: most requests write only their one line.
 * An accessor of `ctx.state` would keep each request and its reply in memory until V8's next full garbage collection.
 */
export const requestLog = ({ state }: Context): Logger | undefined =>
  state.log?.child({ request_id: state.requestId });

/** Probes and scrapes come every few seconds: logged at debug. */
const frequent: ReadonlySet<string> = new Set(opsPaths);

function levelOf(ctx: Context, status: number): "debug" | "info" | "error" {
  if (frequent.has(ctx.path)) return "debug";
  return status >= 500 ? "error" : "info";
}

/** Without tokens in the path. An unknown path may be a mistyped one that carries a token: it is cut. */
function loggedPath(ctx: Context): string {
  const route = ctx.state.route as Route | undefined;
  if (!route)
    return ctx.path
      .split("/")
      .slice(0, ctx.path.startsWith("/api/") ? 4 : 2)
      .join("/")
      .slice(0, 60);
  return route.path.includes(":token") ? route.path : ctx.path;
}
