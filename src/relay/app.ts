import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import { may } from "../domain/access";
import { observeRequests } from "../http/observe";
import { opsRoutes, type Probe } from "../http/ops";
import { protectiveHeaders } from "../http/protective-headers";
import type { Db } from "../platform/postgres/db";
import type { Lifecycle } from "../platform/process/lifecycle";
import type { Logger } from "../platform/process/log";
import type { Registry } from "../platform/process/metrics";
import { type Credentials, userOf } from "./admission";
import { Refusal } from "./close";
import { findBoundDrone } from "./drones.store";

export interface AppDeps {
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly trustedProxies: readonly string[];
  readonly db: Db;
  readonly credentials: Credentials;
  readonly dependencies: Readonly<Record<string, Probe>>;
}

/** A drone's owner and address; in the strict profile for its owner alone. */
export const DRONE_PATH = "/drone/:id";

/** The HTTP side of the relay: `GET /drone/{id}`, health, readiness and metrics. */
export function relayApp({ log, registry, lifecycle, trustedProxies, dependencies, ...deps }: AppDeps): Koa {
  const app = new Koa();
  app.on("error", (error) => log.error({ err: error }, "a reply failed"));
  app.use(observeRequests(log, registry, trustedProxies));
  app.use(protectiveHeaders);
  app.use(opsRoutes(lifecycle, registry, dependencies));
  const router = new Router();
  router.get(DRONE_PATH, async (ctx) => {
    ctx.state.route = { path: DRONE_PATH };
    await replyWithDrone(ctx as unknown as Context, deps);
  });
  app.use(router.routes() as unknown as Middleware);
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { error: "There is nothing here." };
  });
  return app;
}

async function replyWithDrone(
  ctx: Context,
  { db, credentials }: Pick<AppDeps, "db" | "credentials">,
): Promise<void> {
  const say = (status: number, error: string) => {
    ctx.status = status;
    ctx.body = { error };
  };
  const { id } = ctx.params as { id: string };
  try {
    const userId = credentials && (await userOf(credentials, tokenOf(ctx)));
    const drone = /^\d+$/.test(id) ? await findBoundDrone(db, Number(id)) : undefined;
    const hidden = drone && userId !== undefined && !may(userId, "view", drone);
    if (!drone || hidden) return say(404, "Drone not found");
    ctx.body = { drone_id: drone.id, user_id: drone.user_id, ip: drone.ip };
  } catch (error) {
    if (error instanceof Refusal && error.cause === undefined) return say(401, error.message);
    ctx.state.log.error({ err: error }, "a drone could not be looked up");
    say(500, error instanceof Refusal ? error.message : "The drone cannot be looked up now.");
  }
}

function tokenOf(ctx: Context): string | undefined {
  const [, bearer] = /^Bearer (.+)$/i.exec(ctx.get("authorization")) ?? [];
  const { access_token } = ctx.query;
  return bearer ?? (typeof access_token === "string" ? access_token : undefined);
}
