/** A schema of Swagger 2.0, as far as our description uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly "x-nullable"?: boolean;
}

export interface Parameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** One operation of `/apispec.json`, with all references resolved. */
export interface Operation {
  /** `POST /mission/point`, as the route declares it (`:id` style parameters). */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** The documented statuses. */
  readonly statuses: ReadonlySet<number>;
}

interface Document {
  readonly paths: Record<string, Record<string, { parameters?: Described[]; responses: object }>>;
  readonly definitions: Record<string, Schema>;
}

/** A parameter as Swagger 2.0 has it: its schema stands in it, but for a body's. */
type Described = {
  in: "path" | "query" | "header" | "body";
  name: string;
  required?: boolean;
  schema?: Schema;
};

export function operationsOf({ paths, definitions }: Document): Operation[] {
  return Object.entries(paths).flatMap(([template, methods]) => {
    const path = template.replaceAll(/\{(\w+)\}/g, ":$1");
    return Object.entries(methods).map(([method, { parameters = [], responses }]) => {
      const body = parameters.find((one) => one.in === "body")?.schema;
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.flatMap(({ in: location, name, required = false, ...schema }) =>
          location === "body" ? [] : [{ in: location, name, required, schema: schema as Schema }],
        ),
        body: body && resolved(body, definitions),
        statuses: new Set(Object.keys(responses).map(Number)),
      };
    });
  });
}

function resolved(schema: Schema, definitions: Document["definitions"]): Schema {
  const name = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.replace("#/definitions/", "");
  const definition = name === undefined ? undefined : definitions[name];
  const whole = definition ? { ...definition, ...schema } : schema;
  const properties = Object.entries(whole.properties ?? {}).map(
    ([key, property]) => [key, resolved(property, definitions)] as const,
  );
  return {
    ...whole,
    ...(whole.items && { items: resolved(whole.items, definitions) }),
    ...(whole.properties && { properties: Object.fromEntries(properties) }),
  };
}

/** Gives the value of a key; undefined lets the schema decide. */
type FillValue = (name: string, schema: Schema) => unknown;

/** The smallest value that fits a schema, with the values of `fill`. */
export function sample(schema: Schema, fill: FillValue = () => undefined, name = ""): unknown {
  const given = fill(name, schema);
  if (given !== undefined) return given;
  if (schema.enum) return schema.enum[0];
  if (schema.type === "array") return [sample(schema.items ?? {}, fill, name)];
  if (schema.type === "boolean") return true;
  if (schema.type === "integer") return Math.max(1, schema.minimum ?? 1);
  if (schema.type === "number") return Math.max(1.5, schema.minimum ?? 1.5);
  if (schema.type !== "object") return sampleText(name, schema);
  const properties = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const wanted = schema.required?.includes(key) || fill(key, property) !== undefined;
    return wanted ? [[key, sample(property, fill, key)] as const] : [];
  });
  const { additionalProperties: further } = schema;
  if (typeof further === "object") properties.push(["sample", sample(further, fill, "sample")]);
  return Object.fromEntries(properties);
}

function sampleText(name: string, { format, minLength = 1 }: Schema): string {
  if (format === "email") return "somebody@example.com";
  if (/time$|^start$|^end$/.test(name)) return "2030-01-01T08:00:00Z";
  return "sample12".repeat(Math.ceil(minLength / 8)).slice(0, Math.max(minLength, 8));
}

/** The URL path of an operation with these values. Query parameters without a value are left out, as are headers. */
export function pathOf(operation: Operation, valueFor: (parameter: Parameter) => unknown): string {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = valueFor(parameter);
    if (parameter.in === "path") path = path.replace(`:${parameter.name}`, encodeURIComponent(String(value)));
    else if (parameter.in === "query" && value !== undefined) query.set(parameter.name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}
