import fc from "fast-check";
import type { Operation, Schema } from "./spec-requests";

/** Texts that break careless concatenation, logging, storage and matching. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "tail \udfff",
  "\u202e\ufeff\u2028",
  "'; DROP TABLE users; --",
  "' OR '1'='1",
  '"$1?? :name ::int \\',
  "a\r\nSet-Cookie: owned=1\r\n\r\n<html>",
  "../../../../etc/passwd",
  "..%2f..%2f%00",
  "{{7*7}}<%= 7*7 %>#{7*7}",
  "<script>alert(1)</script>",
  "%s%n%x",
  "__proto__",
  "constructor",
  "NaN",
  "-0",
  "1e400",
  "0x10",
  "٣",
  "💥".repeat(60),
  "a".repeat(70_000),
];

const hostileNumbers = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  255,
  65_536,
];

/** Keys that reach an object's prototype where they are copied without care. */
const trapKeys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

const anything = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.constantFrom(...hostileNumbers),
  fc.constantFrom(null, true, false),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** Values that fit a schema, or nearly. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const nullable = schema["x-nullable"] ? [fc.constant(null)] : [];
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), ...nullable);
  switch (schema.type) {
    case "object":
      return nearObject(schema);
    case "array":
      return fc.array(wild(schema.items ?? {}), { maxLength: 4 });
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.oneof(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(...hostileNumbers),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        ...nullable,
      );
    case "string":
      return fc.oneof(
        fc.constantFrom(...hostileTexts, "2030-01-01T08:00:00Z", "someone@example.com", "FREQ=DAILY;COUNT=2"),
        fc.string({ unit: "binary", maxLength: Math.min(schema.maxLength ?? 100, 300) }),
        ...nullable,
      );
    default:
      return anything;
  }
}

/** Mostly values that fit, sometimes any value. */
const wild = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: near(schema), weight: 9 }, { arbitrary: anything, weight: 1 });

function nearObject({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, wild(property)]),
  );
  const whole = fc.record(model, { requiredKeys: [...required] });
  const further = fc.dictionary(
    fc.oneof(fc.constantFrom(...trapKeys, ...hostileTexts.slice(0, 20)), fc.string({ maxLength: 10 })),
    typeof additionalProperties === "object" ? wild(additionalProperties) : anything,
    { maxKeys: 2 },
  );
  return fc.oneof(
    { arbitrary: whole, weight: 6 },
    {
      arbitrary: fc
        .tuple(whole, further)
        .map(([fits, more]) => Object.assign(Object.create(null), fits, more)),
      weight: 2,
    },
  );
}

interface FuzzedRequest {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** JSON text, or undefined for an operation without a body. */
  readonly body: string | undefined;
}

/** Requests to an operation that are valid or nearly so. */
export function requestsTo({ parameters, body }: Operation): fc.Arbitrary<FuzzedRequest> {
  const model = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, name === "token" ? anything : wild(schema)]),
  );
  const requiredKeys = parameters.filter((one) => one.in === "path" || one.required).map(({ name }) => name);
  return fc.record({
    parameters: fc.record(model, { requiredKeys }),
    body: body ? wild(body).map((value) => jsonText(value)) : fc.constant(undefined),
  });
}

/** `JSON.stringify`, with an own `__proto__` as a client may write one. */
const jsonText = (value: unknown): string => JSON.stringify(value) ?? "null";
