import Router from "@koa/router";
import type { Middleware } from "koa";
import type { Lifecycle } from "../platform/process/lifecycle";
import type { Registry } from "../platform/process/metrics";
import { withTimeout } from "../platform/with-timeout";

/** Checks a dependency. It is shown and does not affect readiness: one short outage would make every replica unready. */
export type Probe = () => Promise<unknown>;

const PROBE_LIMIT_MS = 1_000;

/** Paths of every service, without authentication. They hold no user's data. */
export const opsPaths = ["/healthz", "/readyz", "/metrics"] as const;
type OpsPath = (typeof opsPaths)[number];

/**
 * `/healthz`, `/readyz` and `/metrics`, the same on every service. `/readyz?standby=ready` also answers 200 on standby:
 * a rollout may count on that process.
 */
export function opsRoutes(
  lifecycle: Lifecycle,
  registry: Registry,
  dependencies: Readonly<Record<string, Probe>>,
): Middleware {
  const answers: Readonly<Record<OpsPath, Middleware>> = {
    "/healthz": (ctx) => {
      ctx.body = { status: "ok" };
    },
    "/readyz": async (ctx) => {
      const { state } = lifecycle;
      const ready = state === "ready" || (state === "standby" && ctx.query.standby === "ready");
      ctx.status = ready ? 200 : 503;
      ctx.body = {
        status: state,
        dependencies: await probeAll(dependencies),
      };
    },
    "/metrics": async (ctx) => {
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
    },
  };
  const router = new Router();
  for (const path of opsPaths) router.get(path, answers[path] as never);
  return router.routes() as unknown as Middleware;
}

async function probeAll(
  dependencies: Readonly<Record<string, Probe>>,
): Promise<Record<string, "up" | "down">> {
  const states = await Promise.all(
    Object.entries(dependencies).map(async ([name, probe]) => {
      const up = await withTimeout(probe(), PROBE_LIMIT_MS, "No answer in time.").then(
        () => true,
        () => false,
      );
      return [name, up ? "up" : "down"] as const;
    }),
  );
  return Object.fromEntries(states);
}
