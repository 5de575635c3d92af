import { isDeepStrictEqual } from "node:util";
import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { DomainError } from "../domain/errors";
import { parseJsonBody, readBody } from "./body";
import { RequestLimiter } from "./request-limiter";
import { type Callers, type GuardName, ReplyWithMessage, type Route, SerializedJson } from "./route";
import type { Guard, Guards } from "./route-guards";
import { networkOf } from "./server/network-of";
import type { SharedAddressWatch } from "./server/shared-address";
import { parseInput } from "./validate";

const NO_BODY = Buffer.alloc(0);

export interface MountOptions {
  readonly basePath: string;
  readonly guards: Guards;
  /** Largest body of a route that declares no other limit. */
  readonly bodyLimitBytes: number;
  /** The same for callers without a user's or drone's token. */
  readonly publicBodyLimitBytes?: number;
  readonly sharedAddress?: Pick<SharedAddressWatch, "add">;
  /** Compare each reply with its declaration and fail when it differs; for tests. */
  readonly checkReplies?: boolean;
}

/** Mount every declared route. Static paths win over parameters in whatever order they are declared. */
export function mountRoutes(routes: readonly Route[], options: MountOptions): Middleware {
  const router = new Router({ prefix: options.basePath });
  const limiter = new RequestLimiter();
  for (const route of [...routes].sort(staticFirst)) {
    const guard = options.guards[route.guard] as Guard<GuardName>;
    const limitBytes = bodyLimit(route, options);
    // The first match answers: a path such as `/executions/current` also matches `/executions/:id`.
    router[route.method](route.path, async (ctx: Context) => {
      ctx.state.route = route;
      // Replies hold tokens, keys, presigned URLs and momentary state. An app may have set another value.
      if (!ctx.response.get("Cache-Control")) ctx.set("Cache-Control", "no-store");
      route.admit?.();
      const caller = await guard(ctx);
      const address = ctx.state.address ?? ctx.ip;
      if (route.guard === "user") options.sharedAddress?.add((caller as Callers["user"]).id, address);
      const network = networkOf(address);
      limiter.admit(callerKey(route.guard, caller, network), ctx.res, route.emergency);
      const bytes = route.body || route.rawBody ? await readBody(ctx, route, limitBytes) : NO_BODY;
      const input = parseInput(route, ctx, route.body && parseJsonBody(bytes));
      const rawBody = route.rawBody ? bytes : NO_BODY;
      const returned = await route.handle({ ...input, rawBody, caller, network, ctx } as never);
      reply(ctx, route, returned);
      if (options.checkReplies) checkReply(route, ctx);
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

function bodyLimit(route: Route, { bodyLimitBytes, publicBodyLimitBytes }: MountOptions): number {
  if (route.bodyLimitBytes !== undefined) return route.bodyLimitBytes;
  const isPublic = route.guard === "public" || route.guard === "token";
  return Math.min(bodyLimitBytes, (isPublic ? publicBodyLimitBytes : undefined) ?? bodyLimitBytes);
}

/** Requests of the same user, drone or network count together. */
function callerKey(guard: GuardName, caller: unknown, network: string): string {
  const { id } = (caller ?? {}) as Partial<Callers["user" | "drone"]>;
  if (id === undefined) return network;
  return `${guard === "drone" || guard === "video_room" ? "drone" : "user"} ${id}`;
}

function reply(ctx: Context, { envelope, success }: Route, returned: unknown): void {
  ctx.status = success.status;
  if (envelope === "raw") return;
  ctx.type = "json";
  ctx.body = replyText(envelope, returned, success.message);
}

function replyText(envelope: Route["envelope"], returned: unknown, defaultMessage = "OK"): string | Buffer {
  const { data, message } =
    returned instanceof ReplyWithMessage ? returned : { data: returned, message: defaultMessage };
  if (data instanceof SerializedJson) return data.json;
  if (envelope === "B") return JSON.stringify(data ?? {});
  const top = envelope === "A+top" && typeof data === "object" ? data : {};
  return JSON.stringify({ ...top, success: true, data: data ?? null, message });
}

function checkReply(route: Route, { body }: Context): void {
  if (route.envelope === "raw") return;
  const sent = JSON.parse(String(body));
  const data = route.envelope === "B" ? sent : sent.data;
  const checked = route.success.schema?.safeParse(data);
  if (!checked) return;
  const name = `${route.method} ${route.path}`;
  if (!checked.success) throw new Error(`${name} replied outside its schema: ${checked.error.message}`);
  // A schema leaves fields out that it does not have.
  if (!isDeepStrictEqual(checked.data, data))
    throw new Error(`${name} replied with other fields than its schema has: ${JSON.stringify(data)}`);
}
