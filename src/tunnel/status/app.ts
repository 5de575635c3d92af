import Koa, { type Context } from "koa";
import { DomainError } from "../../domain/errors";
import { errorBoundary } from "../../http/error-boundary";
import { mountRoutes } from "../../http/mount";
import { observeRequests } from "../../http/observe";
import { opsRoutes, type Probe } from "../../http/ops";
import type { Guards } from "../../http/route-guards";
import { securityHeaders } from "../../http/security-headers";
import { hasSecretToken } from "../../platform/constant-time-equal";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import { statusRoutes } from "./routes";
import type { StatusView } from "./view";

interface StatusAppDeps {
  readonly view: StatusView;
  /** The bearer secret that callers present; anyone may ask when there is none. */
  readonly secret: string | undefined;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly trustedProxies: readonly string[];
  readonly dependencies: Readonly<Record<string, Probe>>;
  readonly checkReplies?: boolean | undefined;
}

/** A reply is about as fresh as the statistics, which are polled each second. */
const CACHE = "private, max-age=1";
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

export function statusApp(deps: StatusAppDeps): Koa {
  const routes = statusRoutes(deps.view);
  const app = new Koa();
  app.on("error", (error) => deps.log.error({ err: error }, "Reply failed"));
  app.use(observeRequests(deps.log, deps.registry, deps.trustedProxies));
  app.use(securityHeaders);
  app.use(opsRoutes(deps.lifecycle, deps.registry, deps.dependencies));
  app.use(errorBoundary(routes, ""));
  app.use(async (ctx, next) => {
    ctx.set("Cache-Control", CACHE);
    await next();
  });
  app.use(
    mountRoutes(routes, {
      basePath: "",
      guards: guards(deps.secret),
      bodyLimitBytes: BODY_LIMIT_BYTES,
      checkReplies: deps.checkReplies === true,
    }),
  );
  return app;
}

/** Only the service's own secret is accepted; tokens of users, drones and links are not. */
function guards(secret: string | undefined): Guards {
  const refuse = (): never => {
    throw new DomainError("unauthenticated", "The status API knows no users.");
  };
  return {
    public: () => undefined,
    token: (ctx) => checkSecret(ctx, secret),
    user: refuse,
    refresh: refuse,
    reset: refuse,
    video_room: refuse,
    drone: refuse,
  };
}

function checkSecret(ctx: Context, secret: string | undefined): undefined {
  if (secret === undefined || hasSecretToken(ctx.headers.authorization, secret)) return;
  throw new DomainError("unauthenticated", "The tunnel's bearer secret is required.");
}
