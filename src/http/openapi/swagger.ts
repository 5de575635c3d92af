import { z } from "zod";
import { DomainError, type ErrorCode } from "../../domain/errors";
import { errorReply } from "../errors";
import type { Route } from "../route";

type Json = Record<string, unknown>;

/** The API's description in Swagger 2.0, made of the declarations that are mounted. */
export function swaggerDocument(routes: readonly Route[], basePath: string, version: string): Json {
  const definitions: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method]: operation(route, definitions),
    };
  }
  return {
    swagger: "2.0",
    info: {
      title: "Fleet Gateway",
      version,
      description:
        "Fly and manage a fleet of drones. Several reads and updates answer 201: treat every status below 400 as success.",
    },
    basePath,
    consumes: ["application/json"],
    produces: ["application/json"],
    tags: [...new Set(routes.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    securityDefinitions: {
      bearer: {
        type: "apiKey",
        in: "header",
        name: "Authorization",
        description: "`Bearer <token>`",
      },
    },
    paths,
    definitions,
  };
}

function operation(route: Route, definitions: Json): Json {
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route.query, definitions),
    ...(route.body
      ? [
          {
            in: "body",
            name: "body",
            required: true,
            schema: toSchema(route.body, "input", definitions),
          },
        ]
      : []),
    ...(route.rawBody ? [{ in: "body", name: "body", required: true, schema: { type: "object" } }] : []),
  ];
  const description = [route.description, guardDescriptions[route.guard]].filter(Boolean).join("\n\n");
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(description ? { description } : {}),
    operationId: `${route.method}${route.path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next) => (next ?? "").toUpperCase())}`,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(bearerGuards.has(route.guard) ? { security: [{ bearer: [] }] } : {}),
    responses: responses(route, definitions),
  };
}

const bearerGuards = new Set(["user", "refresh", "reset", "video_room"]);

const guardDescriptions: Readonly<Record<Route["guard"], string>> = {
  public: "",
  user: "Needs an access token.",
  refresh: "Needs a refresh token.",
  reset: "Needs the access token of a password-reset mail.",
  drone: "Only for drones, which are recognised by their address in the drone plane.",
  video_room: "Needs the drone's video room token.",
  token: "Needs the token that the route names, in the path or a header.",
};

function responses(route: Route, definitions: Json): Json {
  const data = route.success.schema ? toSchema(route.success.schema, "output", definitions) : undefined;
  const wrapped = data && route.envelope.startsWith("A") ? envelopeA(data) : data;
  const error = route.envelope.startsWith("A") ? errorA : errorB;
  const documented: Json = {
    [route.success.status]: {
      description: route.success.description ?? route.success.message ?? "OK",
      ...(wrapped ? { schema: wrapped } : {}),
    },
  };
  const custom = customErrors(route);
  const document = (status: number, description: string) => {
    const example = custom.get(status);
    const shape = example === undefined ? { schema: error } : { examples: { "application/json": example } };
    const headers = statusesToRetry.has(status) ? { headers: retryAfter } : {};
    documented[status] ??= { description, ...headers, ...shape };
  };
  for (const [status, text] of Object.entries(route.documents ?? {})) document(Number(status), text);
  if (route.guard !== "public") document(route.errors?.unauthenticated ?? 401, "No valid token.");
  if (route.path.includes(":")) document(404, "It does not exist, or is not yours.");
  if (route.body || route.rawBody || route.query)
    document(route.invalidInput ?? 400, "The input is not valid; the message names the fields.");
  if (route.body || route.rawBody) document(413, "The body is too large.");
  if (route.body) {
    document(400, "The body is not JSON.");
    document(415, "The body's type is not JSON.");
  }
  document(429, "You have too many requests under way, or one of your limits is reached.");
  if (!route.errors?.internal) document(500, "It failed; the message gives the reason.");
  return documented;
}

const statusesToRetry: ReadonlySet<number> = new Set([429, 503]);
const retryAfter = {
  "Retry-After": { type: "integer", description: "Seconds to wait before the next try." },
};

/** By status, an example of each error body that differs from the envelope's. */
function customErrors(route: Route): Map<number, unknown> {
  const codes = Object.keys(route.errorBodies ?? {}) as ErrorCode[];
  const replies = codes.map((code) => errorReply(new DomainError(code, "Error message."), route));
  return new Map(replies.map(({ status, body }) => [status, body]));
}

const errorA = {
  type: "object",
  required: ["success", "error"],
  properties: {
    success: { type: "boolean", enum: [false] },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "integer" }, message: { type: "string" } },
    },
  },
};

const errorB = { type: "object", properties: { error: { type: "string" } } };

const envelopeA = (data: Json): Json => ({
  type: "object",
  required: ["success", "data", "message"],
  properties: {
    success: { type: "boolean", enum: [true] },
    data,
    message: { type: "string" },
  },
});

function pathParameters(route: Route): Json[] {
  const typed = route.params ? (toSchema(route.params, "input", {}).properties as Record<string, Json>) : {};
  return [...route.path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => ({
    in: "path",
    name,
    required: true,
    ...(typed[name] ?? { type: "string" }),
  }));
}

function queryParameters(schema: z.ZodType | undefined, definitions: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, "input", definitions);
  return Object.entries(properties as Record<string, Json>).map(([name, field]) => ({
    in: "query",
    name,
    required: (required as string[]).includes(name),
    ...field,
  }));
}

/** A zod schema as Swagger 2.0 has it. Schemas with a `.meta({ id })` become shared definitions. */
function toSchema(schema: z.ZodType, io: "input" | "output", definitions: Json): Json {
  const { $schema: _, definitions: own = {}, ...root } = z.toJSONSchema(schema, { target: "draft-4", io });
  for (const [name, definition] of Object.entries(own as Json)) definitions[name] = fold(definition as Json);
  return fold(root as Json);
}

/** Swagger 2.0 has neither unions nor null: `X or null` becomes `x-nullable`, any other union throws. */
function fold(node: unknown): Json {
  if (Array.isArray(node)) return node.map(fold) as never;
  if (typeof node !== "object" || node === null) return node as never;
  const { anyOf, oneOf, const: constant, ...rest } = node as Json;
  if (oneOf) throw new Error("Swagger 2.0 has no oneOf.");
  const folded: Json = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, fold(value)]));
  if (constant !== undefined) folded.enum = [constant];
  // An id is digits in a path and documented as a number.
  if (folded.type === "integer") delete folded.pattern;
  if (Array.isArray(folded.items)) throw new Error("Swagger 2.0 has no tuples.");
  if (Array.isArray(folded.type)) return nullableType(folded, folded.type as string[]);
  if (!anyOf) return folded;
  const variants = (anyOf as Json[]).filter(({ type }) => type !== "null");
  if (variants.length !== 1 || variants.length === (anyOf as Json[]).length) {
    throw new Error("Swagger 2.0 has no anyOf but `X or null`.");
  }
  const only = fold(variants[0]);
  return only.$ref
    ? { ...folded, allOf: [only], "x-nullable": true }
    : { ...folded, ...only, "x-nullable": true };
}

function nullableType(folded: Json, types: string[]): Json {
  const [only, ...others] = types.filter((type) => type !== "null");
  if (others.length > 0 || !types.includes("null")) throw new Error("Swagger 2.0 has no type unions.");
  return { ...folded, type: only, "x-nullable": true };
}
