import cors from "@koa/cors";
import Koa, { type Middleware } from "koa";
import helmet from "koa-helmet";
import { docsPage } from "../http/docs-page";
import { errorBoundary, mountRoutes } from "../http/mount";
import { observeRequests } from "../http/observe";
import { opsRoutes } from "../http/ops";
import type { Route } from "../http/route";
import type { Guards } from "../http/route-guards";
import { swaggerDocument } from "../http/swagger";
import { version } from "../platform/version";
import type { GatewayDeps } from "./deps";

export const BASE_PATH = "/api/v1";

/** The HTTP side of the gateway: one Koa app over every feature's routes. */
export function gatewayApp(
  deps: GatewayDeps,
  routes: readonly Route[],
  guards: Guards,
  options: { checkReplies?: boolean } = {},
): Koa {
  const { config, log, registry, lifecycle } = deps;
  const app = new Koa();
  app.on("error", (error) => log.error({ err: error }, "a reply failed"));
  app.use(observeRequests(log, registry, config.TRUSTED_PROXIES));
  app.use(helmet() as unknown as Middleware);
  if (config.CORS_ORIGINS.length > 0) app.use(cors({ origin: allowOrigin(config.CORS_ORIGINS) }));
  app.use(
    opsRoutes(lifecycle, registry, {
      postgres: () => deps.db.raw("select 1"),
      redis: () => deps.redis.ping(),
    }),
  );
  app.use(errorBoundary(routes, BASE_PATH));
  app.use(docsPage(swaggerDocument(routes, BASE_PATH, version), BASE_PATH));
  app.use(
    mountRoutes(routes, {
      basePath: BASE_PATH,
      guards,
      bodyLimitBytes: config.BODY_LIMIT_BYTES,
      checkReplies: options.checkReplies,
    }),
  );
  return app;
}

const allowOrigin =
  (allowed: readonly string[]) =>
  (ctx: { get(name: string): string }): string => {
    const origin = ctx.get("origin");
    return allowed.includes("*") || allowed.includes(origin) ? origin : "";
  };
