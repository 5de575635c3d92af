import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { DomainError, type ErrorCode } from "../domain/errors";
import type { Bodies } from "./bodies";
import { errorReply, toDomainError } from "./errors";
import { hangUp } from "./hang-up";
import { parseJsonBody } from "./json-body";
import { inTurns, replyAsJson } from "./json-in-turns";
import { type LongReplies, SHORT_REPLY_BYTES } from "./long-replies";
import { type Hold, readRawBody } from "./raw-body";
import { type Callers, type GuardName, JsonText, Remarked, type Route } from "./route";
import type { Guard, Guards } from "./route-guards";
import { networkOf } from "./server/network-of";
import { parseInput } from "./validate";

const NOTHING = Buffer.alloc(0);
/** A payment provider's event, which shows no token before its signature is checked; Stripe's are shorter. */
const EVENT_BYTES = 262_144;

export interface MountOptions {
  readonly basePath: string;
  readonly guards: Guards;
  readonly bodyLimitBytes: number;
  /** What somebody may send in JSON who has shown no user's or drone's token yet. */
  readonly unknownCallerBytes?: number;
  readonly bodies?: Bodies;
  readonly longReplies?: LongReplies;
  /** Compare each reply with its declaration and fail when it differs; for tests. */
  readonly checkReplies?: boolean;
}

/** Mount every declared route. Static paths win over parameters whatever their order of declaration. */
export function mountRoutes(routes: readonly Route[], options: MountOptions): Middleware {
  const router = new Router({ prefix: options.basePath });
  for (const route of [...routes].sort(staticFirst)) {
    const guard = options.guards[route.guard] as Guard<GuardName>;
    // The first that matches answers: a path such as `/executions/current` also fits `/executions/:id`.
    router[route.method](route.path, async (ctx: Context) => {
      ctx.state.route = route;
      // Tokens, keys and URLs that end are among the replies, and every other one is somebody's at a moment. An app may
      // have said otherwise.
      if (!ctx.response.get("Cache-Control")) ctx.set("Cache-Control", "no-store");
      route.admit?.();
      const caller = await guard(ctx);
      const network = networkOf(ctx.state.address ?? ctx.ip);
      const { bodies, longReplies, checkReplies = false } = options;
      const whose = callerName(route.guard, caller, network);
      const answer = async (bytes: Buffer) => {
        const input = parseInput(route, ctx, route.body && parseJsonBody(bytes));
        const rawBody = route.rawBody ? bytes : NOTHING;
        const data = await route.handle({ ...input, rawBody, caller, network, ctx } as never);
        await reply(ctx, route, data);
        if (checkReplies) checkReply(route, ctx);
        longReplies?.count(whose, ctx.response.length ?? 0, ctx.res);
      };
      const from = route.long === "store" ? "store" : "database";
      // What a body says takes several times its bytes: of a long reply's it is looked at when its turn has come.
      const inTurn = (bytes: Buffer) =>
        route.long && longReplies
          ? longReplies.make(whose, () => answer(bytes), hangUp(ctx), from)
          : answer(bytes);
      const readFirst = async (hold?: Hold) =>
        inTurn(await readBody(ctx, route, limitOf(route, options), hold));
      await (bodies ? bodies.during(whose, readFirst) : readFirst());
    });
  }
  const allowed = router.allowedMethods({
    throw: true,
    methodNotAllowed: () => new DomainError("method_not_allowed", "This path does not take that method."),
    notImplemented: () => new DomainError("method_not_allowed", "This path does not take that method."),
  });
  const matched = router.routes();
  return (ctx, next) =>
    matched(ctx as never, () => allowed(ctx as never, next) as Promise<unknown>) as Promise<unknown>;
}

/** `/drones/mission` before `/drones/:id`, segment by segment. */
function staticFirst(a: Route, b: Route): number {
  const rank = (route: Route) => route.path.replaceAll(/:[^/]+/g, "\uffff");
  return rank(a) < rank(b) ? -1 : 1;
}

/** Whose unread replies are counted together. */
function callerName(guard: GuardName, caller: unknown, network: string): string {
  const { id } = (caller ?? {}) as Partial<Callers["user" | "drone"]>;
  if (id === undefined) return network;
  return `${guard === "drone" || guard === "video_room" ? "drone" : "user"} ${id}`;
}

async function reply(ctx: Context, route: Route, returned: unknown): Promise<void> {
  ctx.status = route.success.status;
  if (route.envelope === "raw") return;
  const body = await inTurns(textsOf(route, returned));
  ctx.type = "json";
  ctx.body = body;
}

function* textsOf({ envelope, success }: Route, returned: unknown): Generator<string> {
  const { data, message } =
    returned instanceof Remarked ? returned : { data: returned, message: success.message ?? "OK" };
  if (data instanceof JsonText) yield* data.texts;
  else if (envelope === "B") yield* replyAsJson(data ?? {});
  else {
    const top = envelope === "A+top" && typeof data === "object" ? data : {};
    yield* replyAsJson({ ...top, success: true, data: data ?? null, message });
  }
}

function checkReply(route: Route, { body, response }: Context): void {
  const told = (what: string) => new Error(`${route.method} ${route.path} ${what}`);
  if (!route.long && (response.length ?? 0) >= SHORT_REPLY_BYTES)
    throw told("replied at length, and is not declared to be `long`");
  if (route.envelope === "raw") return;
  const sent = JSON.parse(String(body));
  const checked = route.success.schema?.safeParse(route.envelope === "B" ? sent : sent.data);
  if (checked && !checked.success) throw told(`replied outside its schema: ${checked.error.message}`);
}

function limitOf({ guard, rawBody }: Route, { bodyLimitBytes, unknownCallerBytes }: MountOptions): number {
  if (rawBody) return Math.min(bodyLimitBytes, EVENT_BYTES);
  return guard === "public" || guard === "token"
    ? Math.min(bodyLimitBytes, unknownCallerBytes ?? bodyLimitBytes)
    : bodyLimitBytes;
}

/** Empty where the route takes none. */
async function readBody(ctx: Context, route: Route, limitBytes: number, hold?: Hold): Promise<Buffer> {
  if (!route.body && !route.rawBody) return NOTHING;
  if (route.body) checkJson(ctx);
  // It may be refused without a byte of it being read.
  if (Number(ctx.get("content-length")) > limitBytes)
    throw new DomainError("body_too_large", "The request body is too large.");
  return readRawBody(ctx.req, limitBytes, hold);
}

function checkJson(ctx: Context): void {
  const hasBody = ctx.request.length !== 0 && ctx.get("transfer-encoding") + ctx.get("content-length") !== "";
  // What a small body unpacks to is anybody's guess.
  if (ctx.get("content-encoding").replace("identity", "") !== "") {
    throw new DomainError("unsupported_media_type", "Send the body uncompressed.");
  }
  if (hasBody && !ctx.is("json")) {
    throw new DomainError("unsupported_media_type", "Send the body as application/json.");
  }
}

/** Nothing thrown below passes this: each error becomes its reply, and the unexpected ones reach the log. */
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
      if (error.code === "unauthenticated") ctx.set("WWW-Authenticate", "Bearer");
      logCause(ctx, error);
      ctx.state.errorCode = error.code;
    }
  };
}

/** What a neighbour of ours said: in its own words for the operator, who alone can mend it. */
const neighboursSaid: ReadonlySet<ErrorCode> = new Set([
  "billing_refused",
  "payment_provider_failed",
  "simulation_refused",
  "video_room_failed",
]);

function logCause(ctx: Context, { code, cause }: DomainError): void {
  if (!cause) return;
  if (code === "internal" || code === "unavailable") ctx.state.log?.error({ err: cause }, "a request failed");
  if (!neighboursSaid.has(code) || !(cause instanceof Error)) return;
  // The words only: what else such an error carries may hold a customer's data.
  const { name, message } = cause;
  ctx.state.log?.warn({ code, reason: `${name}: ${message}` }, "a request was refused elsewhere");
}

function routeErrors(route: Route): Pick<Route, "envelope" | "errors" | "errorBodies"> {
  const invalid = route.invalidInput ? { invalid_input: route.invalidInput } : {};
  return { ...route, errors: { ...invalid, ...route.errors } };
}

/** An unknown path answers in the envelope of the routes it stands beside. */
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
