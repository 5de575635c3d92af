import type { Context, Middleware } from "koa";
import { DomainError, type ErrorCode } from "../domain/errors";
import { errorReply, toDomainError } from "./errors";
import { requestLog } from "./observe";
import type { Route } from "./route";

/** Turns every error into its reply, and logs the unexpected ones. */
export function errorBoundary(routes: readonly Route[], basePath: string): Middleware {
  const envelopes = envelopeByFirstSegment(routes);
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && !ctx.body)
        throw new DomainError("not_found", "There is nothing at this path.");
    } catch (thrown) {
      const error = toDomainError(thrown);
      const route = ctx.state.route as Route | undefined;
      const segment = ctx.path.slice(basePath.length).split("/")[1] ?? "";
      const at = route ? routeErrors(route) : { envelope: envelopes.get(segment) ?? "B" };
      const { status, body } = errorReply(error, at);
      ctx.status = status;
      ctx.body = body;
      if (error.code === "method_not_allowed") ctx.set("Allow", allowedAt(ctx, routes, basePath));
      if (error.retryAfterSeconds !== undefined) ctx.set("Retry-After", String(error.retryAfterSeconds));
      // What failed unexpectedly may have been carried out before.
      if (error.code === "outcome_unknown" || error.code === "internal") ctx.set("X-Outcome", "unknown");
      if (error.code === "unauthenticated") ctx.set("WWW-Authenticate", "Bearer");
      logCause(ctx, error);
      ctx.state.errorCode = error.code;
    }
  };
}

/** Errors of other services. Their message is logged for the operator, and never sent to the client. */
const upstreamErrors: ReadonlySet<ErrorCode> = new Set([
  "billing_refused",
  "payment_provider_failed",
  "simulation_refused",
  "video_room_failed",
]);

function logCause(ctx: Context, { code, cause }: DomainError): void {
  if (!cause) return;
  if (code === "internal" || code === "unavailable") requestLog(ctx)?.error({ err: cause }, "Request failed");
  if (!upstreamErrors.has(code) || !(cause instanceof Error)) return;
  // Only the message: other fields of such an error may hold a customer's data.
  const { name, message } = cause;
  requestLog(ctx)?.warn({ code, reason: `${name}: ${message}` }, "Another service refused a request");
}

function routeErrors(route: Route): Pick<Route, "envelope" | "errors" | "errorBodies"> {
  const invalid = route.invalidInput ? { invalid_input: route.invalidInput } : {};
  return { ...route, errors: { ...invalid, ...route.errors } };
}

/** An unknown path is answered in the envelope of the routes with the same first segment. */
function envelopeByFirstSegment(routes: readonly Route[]): Map<string, Route["envelope"]> {
  return new Map(routes.map((route) => [route.path.split("/")[1] ?? "", route.envelope]));
}

function allowedAt(ctx: Context, routes: readonly Route[], basePath: string): string {
  const pattern = (path: string) => new RegExp(`^${basePath}${path.replaceAll(/:[^/]+/g, "[^/]+")}/?$`);
  const methods = routes
    .filter(({ path }) => pattern(path).test(ctx.path))
    .map(({ method }) => method.toUpperCase());
  return [...new Set(methods)].join(", ");
}
