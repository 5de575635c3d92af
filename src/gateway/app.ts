import cors from "@koa/cors";
import Koa, { type Middleware } from "koa";
import { telemetryChannel } from "../features/telemetry";
import { errorBoundary } from "../http/error-boundary";
import { mountRoutes } from "../http/mount";
import { observeRequests } from "../http/observe";
import { asyncApiDocument } from "../http/openapi/asyncapi";
import { docsPage } from "../http/openapi/docs-page";
import { openApiDocument } from "../http/openapi/openapi";
import { swaggerDocument } from "../http/openapi/swagger";
import { opsRoutes } from "../http/ops";
import type { Route } from "../http/route";
import type { Guards } from "../http/route-guards";
import { securityHeaders } from "../http/security-headers";
import { SharedAddressWatch } from "../http/server/shared-address";
import type { GatewayConfig } from "../platform/config";
import type { Logger } from "../platform/process/log";
import { healthUrl, reachabilityProbes } from "../platform/process/reachability";
import { version } from "../platform/process/version";
import type { GatewayDeps } from "./deps";
import { relayChannels } from "./relay-channels";
import { webConsole } from "./web-console";

/** For routes that declare no other limit, as the one for batches of points does. */
const BODY_LIMIT_BYTES = 524_288;

/** For routes without a user's or drone's token. Their bodies are a name, a password, an address. */
const PUBLIC_BODY_LIMIT_BYTES = 65_536;

/** What a page of another origin may read of a reply, beside what every page may. */
const EXPOSED_HEADERS = [
  "X-Request-Id",
  "Retry-After",
  "Content-Disposition",
  "X-Left-Out",
  "X-Outcome",
  "ETag",
];

/** How long a browser may cache the reply to a preflight request. */
const PREFLIGHT_SECONDS = 600;

export const BASE_PATH = "/api/v1";

interface GatewayApps {
  readonly main: Koa;
  /** The routes of drones, on a port of their own in the strict profile; the main port serves them otherwise. */
  readonly drone: Koa | undefined;
}

/** The HTTP side of the gateway over every feature's routes, one Koa app for each port. */
export function gatewayApps(
  deps: GatewayDeps,
  routes: readonly Route[],
  guards: Guards,
  options: { checkReplies?: boolean } = {},
): GatewayApps {
  const observe = observeRequests(deps.log, deps.registry, deps.config.TRUSTED_PROXIES);
  const { main, drone } = routesByPort(deps.config.ACCESS_PROFILE, routes);
  const sharedAddress = new SharedAddressWatch(deps.log, deps.registry, deps.clock);
  const mount = (served: readonly Route[]) =>
    mountRoutes(served, {
      basePath: BASE_PATH,
      guards,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      publicBodyLimitBytes: PUBLIC_BODY_LIMIT_BYTES,
      sharedAddress,
      checkReplies: options.checkReplies,
    });
  return {
    main: mainApp(deps, routes, observe, mount(main)),
    drone: drone && droneApp(deps, drone, observe, mount(drone)),
  };
}

/** In the strict profile the main port does not serve the drones' routes. */
function routesByPort(
  profile: GatewayConfig["ACCESS_PROFILE"],
  routes: readonly Route[],
): { main: readonly Route[]; drone: readonly Route[] | undefined } {
  if (profile === "contract") return { main: routes, drone: undefined };
  const isDrones = ({ guard }: Route) => guard === "drone";
  return { main: routes.filter((route) => !isDrones(route)), drone: routes.filter(isDrones) };
}

function droneApp(
  deps: GatewayDeps,
  routes: readonly Route[],
  observe: Middleware,
  mounted: Middleware,
): Koa {
  const app = bareApp(deps.log, observe);
  app.use(errorBoundary(routes, BASE_PATH));
  app.use(mounted);
  return app;
}

function bareApp(log: Logger, observe: Middleware): Koa {
  const app = new Koa();
  app.on("error", (error) => log.error({ err: error }, "Reply failed"));
  app.use(observe);
  app.use(securityHeaders);
  return app;
}

/** Serves the description of all routes, those of the other port included. */
function mainApp(deps: GatewayDeps, routes: readonly Route[], observe: Middleware, mounted: Middleware): Koa {
  const { config, log, registry, lifecycle } = deps;
  const app = bareApp(log, observe);
  if (config.CORS_ORIGINS.length > 0) {
    const origin = allowOrigin(config.CORS_ORIGINS);
    app.use(cors({ origin, exposeHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS }));
  }
  app.use(
    opsRoutes(lifecycle, registry, {
      postgres: () => deps.db.raw("select 1"),
      redis: () => deps.redis.ping(),
      ...reachabilityProbes({
        objects: config.S3_ENDPOINT,
        tunnel: healthUrl(config.VPN_SERVICE_URL),
        jumphost: config.JUMPHOST_URL,
        janus: config.JANUS_URL,
      }),
    }),
  );
  app.use(errorBoundary(routes, BASE_PATH));
  const descriptions = {
    "openapi.json": () => openApiDocument(routes, BASE_PATH, version),
    "asyncapi.json": () => asyncApiDocument([telemetryChannel, ...relayChannels], version),
    "apispec.json": () => swaggerDocument(routes, BASE_PATH, version),
  };
  app.use(docsPage(descriptions, BASE_PATH));
  app.use(mounted);
  if (config.CONSOLE === "on") for (const middleware of webConsole(deps)) app.use(middleware);
  return app;
}

const allowOrigin =
  (allowed: readonly string[]) =>
  (ctx: { get(name: string): string }): string => {
    const origin = ctx.get("origin");
    return allowed.includes("*") || allowed.includes(origin) ? origin : "";
  };
