import { DomainError, type ErrorCode } from "../../domain/errors";
import { errorReply } from "../errors";
import type { Route } from "../route";

/** A route as both descriptions tell it. */
export interface Operation {
  /** Unique: `getMissionId`. */
  readonly id: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly description: string;
  /** The caller sends `Authorization: Bearer <token>`. */
  readonly bearer: boolean;
  /** Errors, each status once, and not the success. */
  readonly errors: readonly DescribedError[];
}

export interface DescribedError {
  readonly status: number;
  readonly description: string;
  readonly headers: readonly DescribedHeader[];
  /** An example of a body that differs from the envelope's. */
  readonly body: unknown;
}

interface DescribedHeader {
  readonly name: string;
  readonly type: "string" | "integer";
  readonly description: string;
}

function operationOf(route: Route): Operation {
  return {
    id: `${route.method}${route.path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next) => (next ?? "").toUpperCase())}`,
    path: route.path.replaceAll(/:([^/]+)/g, "{$1}"),
    description: [route.description, guardDescriptions[route.guard]].filter(Boolean).join("\n\n"),
    bearer: bearerGuards.has(route.guard),
    errors: errorsOf(route),
  };
}

/** `POST /mission/:mission_id/points`. */
export const routeName = ({ method, path }: Pick<Route, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

/** The description's `paths`: what `describe` makes of each route, by path and method. */
export function pathsOf(
  routes: readonly Route[],
  describe: (route: Route, operation: Operation) => object,
): Record<string, object> {
  const paths: Record<string, object> = {};
  for (const route of routes) {
    const operation = operationOf(route);
    paths[operation.path] = { ...paths[operation.path], [route.method]: describe(route, operation) };
  }
  return paths;
}

/** The schema of a body that the handler reads itself, in both descriptions. */
export const rawBodySchema = ({ mediaType }: NonNullable<Route["rawBody"]>) =>
  mediaType === "application/json" ? { type: "object" } : { type: "string", format: "binary" };

/** The name of the schema that the errors of a route have, but for bodies of the contract's own. */
export const errorSchema = ({ envelope }: Route): "ErrorInEnvelope" | "Error" =>
  envelope.startsWith("A") ? "ErrorInEnvelope" : "Error";

/** Of the whole API. */
export const introduction =
  "Fly and manage a fleet of drones. Several reads and updates answer 201: treat every status below 400 as success. `GET /missions` alone answers some failures with 200: see there. A service runs in one of two profiles: `contract`, and `strict`, which checks more; where they differ, the operation says so.";

export const pathParameterNames = ({ path }: Route): string[] =>
  [...path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => name);

/** As Swagger 2.0 has them. */
export const headerParameters = ({ conditional }: Route) =>
  conditional
    ? [
        {
          in: "header",
          name: "If-Match",
          required: false,
          type: "string",
          description: "The `ETag` of what you read. Without it, whatever is stored is replaced.",
        },
      ]
    : [];

const bearerGuards: ReadonlySet<Route["guard"]> = new Set(["user", "refresh", "reset", "video_room"]);

const guardDescriptions: Readonly<Record<Route["guard"], string>> = {
  public: "",
  user: "Needs an access token.",
  refresh: "Needs a refresh token.",
  reset: "Needs the access token of a password-reset mail.",
  drone: "Only for drones, which are recognised by their address in the drone plane.",
  video_room: "Needs the drone's video room token.",
  token: "Needs the token that the route names, in the path or a header.",
};

const statusesToRetry: ReadonlySet<number> = new Set([429, 503]);

const retryAfter: DescribedHeader = {
  name: "Retry-After",
  type: "integer",
  description: "Seconds to wait before the next try.",
};

const errorHeaders = ({ errorHeaders = {} }: Route, status: number): DescribedHeader[] =>
  Object.entries(errorHeaders[status] ?? {}).map(([name, description]) => ({
    name,
    type: "string",
    description,
  }));

function errorsOf(route: Route): DescribedError[] {
  const found = new Map<number, DescribedError>();
  const bodies = bodiesOf(route);
  const add = (status: number, description: string) => {
    if (status === route.success.status || found.has(status)) return;
    const headers = statusesToRetry.has(status) ? [retryAfter] : errorHeaders(route, status);
    found.set(status, { status, description, headers, body: bodies.get(status) });
  };
  for (const [status, text] of Object.entries(route.documents ?? {})) add(Number(status), text);
  if (route.conditional) add(412, "It was changed since you read it. Nothing is changed.");
  if (route.guard !== "public") add(route.errors?.unauthenticated ?? 401, "No valid token.");
  if (route.path.includes(":")) add(404, "It does not exist, or is not yours.");
  if (route.body || route.rawBody || route.query)
    add(route.invalidInput ?? 400, "The input is not valid; the message names the fields.");
  if (route.body || route.rawBody) add(413, "The body is too large.");
  if (route.body) {
    add(400, "The body is not JSON.");
    add(415, "The body's type is not JSON.");
  }
  add(429, "You have too many requests under way, or one of your limits is reached.");
  if (!route.errors?.internal) add(500, "It failed; the message gives the reason.");
  return [...found.values()];
}

function bodiesOf(route: Route): Map<number, unknown> {
  const codes = Object.keys(route.errorBodies ?? {}) as ErrorCode[];
  const replies = codes.map((code) => errorReply(new DomainError(code, "Error message."), route));
  return new Map(replies.map(({ status, body }) => [status, body]));
}
