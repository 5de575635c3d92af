import { z } from "zod";
import type { Route } from "../route";
import {
  type DescribedError,
  errorSchema,
  headerParameters,
  introduction,
  type Operation,
  pathParameterNames,
  pathsOf,
  rawBodySchema,
} from "./operations";

type Json = Record<string, unknown>;

/** The API's description in Swagger 2.0, made of the declarations that are mounted. */
export function swaggerDocument(routes: readonly Route[], basePath: string, version: string): Json {
  const definitions: Json = { Error: bareError, ErrorInEnvelope: errorInEnvelope };
  const paths = pathsOf(routes, (route, described) => operation(route, described, definitions));
  return {
    swagger: "2.0",
    info: { title: "Fleet Gateway", version, description: introduction },
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

function operation(route: Route, { id, description, bearer, errors }: Operation, definitions: Json): Json {
  const body = (schema: Json) => ({ in: "body", name: "body", required: true, schema });
  const { mediaTypes } = route.success;
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route.query, definitions),
    ...headerParameters(route),
    ...(route.body ? [body(toSchema(route.body, "input", definitions))] : []),
    ...(route.rawBody
      ? [{ ...body(rawBodySchema(route.rawBody)), description: route.rawBody.description }]
      : []),
  ];
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(description ? { description } : {}),
    operationId: id,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(bearer ? { security: [{ bearer: [] }] } : {}),
    ...(route.rawBody ? { consumes: [route.rawBody.mediaType] } : {}),
    ...(mediaTypes ? { produces: [...new Set([...mediaTypes, "application/json"])] } : {}),
    responses: {
      [route.success.status]: success(route, definitions),
      ...Object.fromEntries(errors.map((error) => [error.status, errorResponse(route, error)])),
    },
  };
}

function success({ success: declared, envelope }: Route, definitions: Json): Json {
  const { schema, description, message, headers = {} } = declared;
  const data = schema && toSchema(schema, "output", definitions);
  const wrapped = data && envelope.startsWith("A") ? envelopeA(data) : data;
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { type: "string", description: text },
  ]);
  return {
    description: description ?? message ?? "OK",
    ...(wrapped ? { schema: wrapped } : {}),
    ...(declared.headers ? { headers: Object.fromEntries(described) } : {}),
  };
}

function errorResponse(route: Route, { description, headers, body }: DescribedError): Json {
  return {
    description,
    ...(headers.length > 0
      ? { headers: Object.fromEntries(headers.map(({ name, ...header }) => [name, header])) }
      : {}),
    ...(body === undefined
      ? { schema: { $ref: `#/definitions/${errorSchema(route)}` } }
      : { examples: { "application/json": body } }),
  };
}

const errorInEnvelope = {
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

const bareError = { type: "object", properties: { error: { type: "string" } } };

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
  return pathParameterNames(route).map((name) => ({
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
