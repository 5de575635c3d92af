import { randomUUID } from "node:crypto";
import type { Context, Middleware } from "koa";
import proxyaddr from "proxy-addr";
import { unmapped } from "../domain/ipv4";
import type { Logger } from "../platform/process/log";
import { Counter, Histogram, type Registry } from "../platform/process/metrics";
import { opsPaths } from "./ops";
import type { Route } from "./route";

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
  // The fields of a request's line are fixed and none is a secret: looking for secrets in each costs more
  // than the rest of the line.
  const lines = log.child({}, { redact: [] });
  return async (ctx, next) => {
    const started = process.hrtime.bigint();
    const given = ctx.get("x-request-id");
    const id = usableId.test(given) ? given : randomUUID();
    ctx.set("X-Request-Id", id);
    ctx.state.address = unmapped(proxyaddr(ctx.req, trust));
    // Made when somebody asks for it: most requests have nothing more to say than their one line.
    Object.defineProperty(ctx.state, "log", { get: () => log.child({ request_id: id }) });
    ctx.res.once("close", () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const labels = {
        method: ctx.method,
        route: (ctx.state.route as Route | undefined)?.path ?? "none",
      };
      requests.inc({ ...labels, status: String(ctx.status) });
      duration.observe(labels, seconds);
      lines[levelOf(ctx)](
        {
          request_id: id,
          ...labels,
          path: loggedPath(ctx),
          status: ctx.status,
          ms: Math.round(seconds * 1e4) / 10,
          address: ctx.state.address,
          ...(ctx.state.errorCode ? { code: ctx.state.errorCode } : {}),
        },
        "request",
      );
    });
    await next();
  };
}

/** Probes and scrapes come every few seconds and are no news. */
const quiet: ReadonlySet<string> = new Set(opsPaths);

function levelOf(ctx: Context): "debug" | "info" | "error" {
  if (quiet.has(ctx.path)) return "debug";
  return ctx.status >= 500 ? "error" : "info";
}

/** A token in a path is a secret, and a path that matched nothing may be a mistyped one that carries it. */
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
