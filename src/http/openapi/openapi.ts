import { z } from "zod";
import type { Route } from "../route";
import { type Example, examples } from "./examples";
import {
  type DescribedError,
  errorSchema,
  headerParameters,
  introduction,
  type Operation,
  pathParameterNames,
  pathsOf,
  rawBodySchema,
  routeName,
} from "./operations";

type Json = Record<string, unknown>;

/** The API's description in OpenAPI 3.1, made of the declarations that are mounted. */
export function openApiDocument(routes: readonly Route[], basePath: string, version: string): Json {
  const schemas: Json = { Error: bareError, ErrorInEnvelope: errorInEnvelope };
  const paths = pathsOf(routes, (route, described) => operation(route, described, schemas));
  const tags = [...new Set(routes.map(({ tag }) => tag))].sort();
  return {
    openapi: "3.1.0",
    info: {
      title: "Fleet Gateway",
      version,
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: { schemas, securitySchemes },
  };
}

const tagDescriptions: Readonly<Record<string, string>> = {
  Accounts: "Registration, tokens, passwords.",
  Assets: "Files of flights: logs, images, videos.",
  Billing: "Subscriptions at the payment provider.",
  Calendar: "Planned flights, single or in series.",
  "Drone actions": "Orders to a vehicle. The reply is what the vehicle did.",
  Drones: "Drones, their parameters, their first start.",
  Executions: "Flights as they are flown, their records and reports.",
  Geofences: "Stored geofences and their points.",
  Missions: "Stored missions and their points.",
  "Simulation instance": "A simulator on a machine in the cloud.",
  VPN: "WireGuard configurations and their state.",
  "Video rooms": "Live video of drones.",
};

/** An API key in a header. */
const header = (name: string, description: string): Json => ({
  type: "apiKey",
  in: "header",
  name,
  description,
});

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of `POST /login`, of a mail, or of a drone's video room: the operation says which.",
  },
  "X-Drone-IP": header(
    "X-Drone-IP",
    "For operations of drones: the drone's address in the drone plane. The tunnel service sets it. On a laptop a program that speaks as a drone sets it.",
  ),
  "X-Activation-Token": header(
    "X-Activation-Token",
    "For a drone's first start: the ten digits of `activation_token`. `Authorization: Bearer <digits>` does as well.",
  ),
  "Payment-Signature": header(
    "Payment-Signature",
    "For the payment provider's events: its signature over the body. `Stripe-Signature` does as well.",
  ),
};

function securityOf({ guard, tokenHeader }: Route, { bearer }: Operation): Json[] {
  if (guard === "drone") return [{ "X-Drone-IP": [] }];
  if (tokenHeader) return [{ [tokenHeader]: [] }];
  return bearer ? [{ bearer: [] }] : [];
}

function operation(route: Route, described: Operation, schemas: Json): Json {
  const { id, description, errors } = described;
  const example = examples[routeName(route)];
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(route.query, schemas),
    ...headerParameters(route).map(({ type, ...parameter }) => ({ ...parameter, schema: { type } })),
  ];
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(description ? { description } : {}),
    operationId: id,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, schemas, example),
    security: securityOf(route, described),
    responses: {
      [route.success.status]: success(route, schemas, example),
      ...Object.fromEntries(errors.map((error) => [error.status, errorResponse(route, error)])),
    },
  };
}

function requestBody({ body, rawBody }: Route, schemas: Json, example: Example | undefined): Json {
  if (rawBody) {
    const { mediaType, description } = rawBody;
    const content = { [mediaType]: { schema: rawBodySchema(rawBody) } };
    return { requestBody: { description, required: true, content } };
  }
  if (!body) return {};
  const content = jsonContent(schemaOf(body, "input", schemas), example?.request);
  return { requestBody: { required: true, content } };
}

const jsonContent = (schema: Json, example: unknown): Json => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

function success(route: Route, schemas: Json, example: Example | undefined): Json {
  const { status, schema, description, message, mediaTypes, headers } = route.success;
  const wrapped = successBody(route, schema && schemaOf(schema, "output", schemas), schemas);
  // GET /missions answers a failure with the status of its success.
  const failsSo = Object.values(route.errors ?? {}).includes(status);
  const body = failsSo ? { anyOf: [wrapped ?? {}, errorRef(route)] } : wrapped;
  return {
    description: description ?? message ?? "OK",
    ...(headers ? { headers: mapValues(headers, textHeader) } : {}),
    ...(body
      ? { content: mediaTypes ? sameContent(mediaTypes, body) : jsonContent(body, example?.reply) }
      : {}),
  };
}

const sameContent = (mediaTypes: readonly string[], schema: Json): Json =>
  Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: type.endsWith("json") ? { type: "object" } : schema }]),
  );

const textHeader = (description: string): Json => ({ description, schema: { type: "string" } });

const mapValues = (texts: Readonly<Record<string, string>>, map: (text: string) => Json): Json =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]));

function successBody({ envelope }: Route, data: Json | undefined, schemas: Json): Json | undefined {
  if (!envelope.startsWith("A")) return data;
  const enveloped = { success: { const: true }, data: data ?? {}, message: { type: "string" } };
  if (envelope === "A") return object(enveloped);
  const named = String(data?.$ref ?? "").replace("#/components/schemas/", "");
  const { required = [], properties = {} } = (schemas[named] ?? data ?? {}) as Partial<ObjectSchema>;
  return {
    type: "object",
    required: [...required, "success", "data", "message"],
    properties: { ...properties, ...enveloped },
  };
}

interface ObjectSchema {
  readonly required: readonly string[];
  readonly properties: Json;
}

function errorResponse(route: Route, { description, headers, body }: DescribedError): Json {
  return {
    description,
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers.map(describedHeader)) } : {}),
    content: { "application/json": { schema: body === undefined ? errorRef(route) : schemaLike(body) } },
  };
}

const describedHeader = ({ name, type, description }: DescribedError["headers"][number]) => [
  name,
  { description, schema: { type } },
];

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const errorRef = (route: Route): Json => refTo(errorSchema(route));

const object = (properties: Json): Json => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});

const bareError = object({
  error: {
    type: "string",
    description:
      "What failed, why, and what to do. Where the vehicle itself refused, its own words, as far as it gave any.",
  },
});

const errorInEnvelope = object({
  success: { const: false },
  error: object({
    code: { type: "integer", description: "The status." },
    message: { type: "string", description: "What failed, why, and what to do." },
  }),
});

/** The schema of a body that an example shows. */
function schemaLike(example: unknown): Json {
  if (Array.isArray(example))
    return {
      type: "array",
      prefixItems: example.map(schemaLike),
      minItems: example.length,
      maxItems: example.length,
    };
  if (typeof example === "number") return { type: "integer" };
  if (typeof example === "boolean") return { const: example };
  if (typeof example !== "object" || example === null) return { type: "string" };
  const keys = Object.keys(example).join();
  if (keys === "error") return refTo("Error");
  if (keys === "success,error") return refTo("ErrorInEnvelope");
  return object(Object.fromEntries(Object.entries(example).map(([key, value]) => [key, schemaLike(value)])));
}

function pathParameters(route: Route): Json[] {
  const typed = route.params ? (schemaOf(route.params, "input", {}).properties as Record<string, Json>) : {};
  return pathParameterNames(route).map((name) =>
    parameter("path", name, true, typed[name] ?? { type: "string" }),
  );
}

function queryParameters(schema: z.ZodType | undefined, schemas: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input", schemas);
  return Object.entries(properties as Record<string, Json>).map(([name, field]) =>
    parameter("query", name, (required as string[]).includes(name), field),
  );
}

function parameter(location: string, name: string, required: boolean, field: Json): Json {
  const { description, ...schema } = field;
  return { in: location, name, required, ...(description ? { description } : {}), schema };
}

/** A zod schema as JSON Schema. Schemas with a `.meta({ id })` become shared ones. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const { $schema: _, $defs = {}, ...root } = withRefs(z.toJSONSchema(schema, { io })) as Json;
  for (const [name, definition] of Object.entries($defs as Json)) {
    if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(definition))
      throw new Error(`Two schemas are called ${name}.`);
    schemas[name] = definition;
  }
  return root;
}

/** References to `$defs` lead to the document's own schemas. */
function withRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withRefs);
  if (typeof node !== "object" || node === null) return node;
  const fields = Object.entries(node).filter(([key, value]) => key !== "id" || typeof value !== "string");
  const entries = fields.map(([key, value]) => [
    key,
    key === "$ref" ? String(value).replace("#/$defs/", "#/components/schemas/") : withRefs(value),
  ]);
  const told = Object.fromEntries(entries);
  // An id is digits in a path, and a number to its reader.
  if (told.type === "integer") delete told.pattern;
  return told;
}
