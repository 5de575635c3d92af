import Koa, { type Context } from "koa";
import { may } from "../domain/access";
import { observeRequests, requestLog } from "../http/observe";
import { opsRoutes, type Probe } from "../http/ops";
import { securityHeaders } from "../http/security-headers";
import type { Db } from "../platform/postgres/db";
import type { Lifecycle } from "../platform/process/lifecycle";
import type { Logger } from "../platform/process/log";
import type { Registry } from "../platform/process/metrics";
import { type Credentials, userOf } from "./authorization";
import { CloseError } from "./close-error";
import { findBoundDrone } from "./drones.store";

interface AppDeps {
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly trustedProxies: readonly string[];
  readonly db: Db;
  readonly credentials: Credentials;
  readonly dependencies: Readonly<Record<string, Probe>>;
}

/** Shows a drone's owner and address; in the strict profile to its owner alone. */
export const DRONE_PATH = "/drone/:id";
const dronePath = /^\/drone\/([^/]+)\/?$/;

/** The HTTP side of the relay: `GET /drone/{id}`, health, readiness and metrics. */
export function relayApp({ log, registry, lifecycle, trustedProxies, dependencies, ...deps }: AppDeps): Koa {
  const app = new Koa();
  app.on("error", (error) => log.error({ err: error }, "Reply failed"));
  app.use(observeRequests(log, registry, trustedProxies));
  app.use(securityHeaders);
  app.use(opsRoutes(lifecycle, registry, dependencies));
  app.use(async (ctx, next) => {
    const [, id] = dronePath.exec(ctx.path) ?? [];
    if (id === undefined || !["GET", "HEAD"].includes(ctx.method)) return next();
    ctx.state.route = { path: DRONE_PATH };
    return replyWithDrone(ctx, id, deps);
  });
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { error: "There is nothing here." };
  });
  return app;
}

async function replyWithDrone(
  ctx: Context,
  id: string,
  { db, credentials }: Pick<AppDeps, "db" | "credentials">,
): Promise<void> {
  const reply = (status: number, error: string) => {
    ctx.status = status;
    ctx.body = { error };
  };
  try {
    const userId = credentials && (await userOf(credentials, tokenOf(ctx)));
    const drone = /^\d+$/.test(id) ? await findBoundDrone(db, Number(id)) : undefined;
    const hidden = drone && userId !== undefined && !may(userId, "view", drone);
    if (!drone || hidden) return reply(404, "Drone not found");
    ctx.body = { drone_id: drone.id, user_id: drone.user_id, ip: drone.ip };
  } catch (error) {
    if (error instanceof CloseError && error.cause === undefined) return reply(401, error.message);
    requestLog(ctx)?.error({ err: error }, "a drone could not be looked up");
    reply(500, error instanceof CloseError ? error.message : "The drone cannot be looked up now.");
  }
}

function tokenOf(ctx: Context): string | undefined {
  const [, bearer] = /^Bearer (.+)$/i.exec(ctx.get("authorization")) ?? [];
  const { access_token } = ctx.query;
  return bearer ?? (typeof access_token === "string" ? access_token : undefined);
}
