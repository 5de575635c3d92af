import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";
import { packageRoot } from "../../../src/platform/process/version";
import { freeVariables } from "./variables";

export const chartFolder = join(packageRoot, "charts/fleet-gateway");
/** Charts inside it, each with a schema that helm holds its part of the values against. */
export const bundled: readonly string[] = ["postgres", "redis", "minio"];

/** A JSON schema of draft 7. */
export type Schema = Record<string, unknown>;

export interface Value {
  /** `gateway.replicas` */
  readonly path: string;
  readonly description: string;
  readonly default: unknown;
}

export const readText = (...path: string[]): string => readFileSync(join(chartFolder, ...path), "utf8");
const readJson = (name: string) => JSON.parse(readText(name));

const { patterns, definitions: compact } = readJson("schema-definitions.json");
/** Schemas of values by their name, at any path; a value of another name refers to one by `@schema {"$ref": …}`. */
const definitions: Record<string, Schema> = JSON.parse(JSON.stringify(compact), (key, value) =>
  key === "pattern" && typeof value === "string" ? spelledOut(value) : value,
);

/** A pattern with the patterns that it refers to, as in `^<ipv4>$`. */
function spelledOut(pattern: string): string {
  return pattern.replace(/<([a-z0-9 ]+)>/g, (_, name: string) => {
    if (!(name in patterns)) throw new Error(`schema-definitions.json has no pattern ${name}.`);
    return spelledOut(patterns[name]);
  });
}

/** The schema of values.yaml, and a row for each value. */
export function readValues(): { schema: Schema; rows: Value[] } {
  const rows: Value[] = [];
  const schema = objectSchema(valuesOf("values.yaml"), "", rows);
  return { schema: whole(schema, {}, readJson("schema-rules.json")), rows };
}

/** The schema of a bundled server's values: its own, and those that the chart around it defines. */
function bundledSchema(server: string): Schema {
  const around = (readValues().schema.properties as Record<string, Schema>)[server];
  const schema = objectSchema(valuesOf(`charts/${server}/values.yaml`), "", []);
  return whole(schema, around?.properties as Schema);
}

/** Every schema that is made, by the path of its file in the chart. */
export function schemaTexts(): Record<string, string> {
  const all: [string, Schema][] = [
    ["values.schema.json", readValues().schema],
    ...bundled.map((server): [string, Schema] => [
      `charts/${server}/values.schema.json`,
      bundledSchema(server),
    ]),
  ];
  return Object.fromEntries(all.map(([name, schema]) => [name, `${JSON.stringify(schema, null, 2)}\n`]));
}

function valuesOf(name: string): YAMLMap {
  const { errors, contents } = parseDocument(readText(name));
  if (errors.length > 0 || !isMap(contents)) throw new Error(`${name} cannot be read.`);
  return contents;
}

/** A file's schema: with these further properties and rules, and the definitions that it refers to. */
function whole(schema: Schema, further: Schema, rules: Schema = {}): Schema {
  const properties = { ...further, ...(schema.properties as Schema), global: { type: "object" } };
  const all = { ...schema, properties, ...rules };
  const names = referredTo(all);
  const used = Object.entries(definitions).filter(([name]) => names.has(name));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...all,
    definitions: Object.fromEntries(used),
  };
}

function referredTo(schema: Schema, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g)) {
    const definition = definitions[name];
    if (!definition) throw new Error(`schema-definitions.json has no ${name}.`);
    if (!found.has(name)) referredTo(definition, found.add(name));
  }
  return found;
}

/** Former names of values, which the schema allows so that templates/refusals.yaml can say what to do. */
const formerNames: Readonly<Record<string, Record<string, Schema>>> = {
  setup: { mavlinkRouterImage: {}, waitSeconds: {} },
  tunnel: { follower: {} },
  "tunnel.userspace": { enabled: {} },
  monitoring: { runbooks: {} },
};

function objectSchema(map: YAMLMap, path: string, rows: Value[]): Schema {
  const properties: Record<string, Schema> = { ...formerNames[path] };
  const required: string[] = [];
  for (const [at, pair] of (map.items as Pair<Node, Node>[]).entries()) {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const { description = commonWords[key] ?? "", extra } = readComment(
      commentOf(pair.key) || (at === 0 ? commentOf(map) : ""),
    );
    const here = path ? `${path}.${key}` : key;
    const value = pair.value as Node;
    const common = Object.keys(extra).length === 0 ? commonSchema(key, path) : undefined;
    // The keys of such a map are the user's own, or another software's.
    const open =
      isMap(value) && Boolean(common || value.items.length === 0 || "additionalProperties" in extra);
    const leaf = open || !isMap(value);
    if (leaf) rows.push({ path: here, description, default: value.toJSON() });
    // A null removes a default. In a map with free keys that is allowed; any other value is required.
    if (!open || "minProperties" in extra) required.push(key);
    const schema = common ?? (leaf ? leafSchema(value, extra) : objectSchema(value, here, rows));
    properties[key] = { ...(description && { description }), ...schema };
  }
  return { type: "object", additionalProperties: bundled.includes(path), required, properties };
}

function commonSchema(key: string, path: string): Schema | undefined {
  if (key === "env") return { type: "object", additionalProperties: false, properties: freeVariables(path) };
  return definitions[key] && { $ref: `#/definitions/${key}` };
}

/** Descriptions of values that have the same name in several places. */
const commonWords: Readonly<Record<string, string>> = {
  enabled: "Whether the chart makes one.",
  resources: "Requests and limits of its containers.",
  nodeSelector: "Labels of the nodes that it may run on.",
  tolerations: "Tolerated taints.",
  affinity: "Affinity rules of its pods.",
  minReplicas: "Fewest replicas.",
  maxReplicas: "Most replicas.",
  pullPolicy: "When the node pulls an image.",
  replicas: "Number of replicas.",
  port: "TCP port of the server.",
  region: "Region of the store.",
  className: "IngressClass; the cluster's default when empty.",
};

const commentOf = (node: unknown): string =>
  (node as { commentBefore?: string | null } | undefined)?.commentBefore ?? "";

function leafSchema(node: Node, extra: Schema): Schema {
  // A schema ignores everything beside a reference.
  if ("$ref" in extra) return extra;
  if (isSeq(node)) return { type: "array", ...extra };
  if (isMap(node)) return { type: "object", ...extra };
  const value = isScalar(node) ? node.value : null;
  return { type: typeof value === "number" ? "integer" : typeof value, ...extra };
}

/**
 * The comment's last paragraph, without its lines `@schema {…}`, which add to the schema, and without `== …`, the heading
 * of the values that follow.
 */
function readComment(comment: string): { description: string | undefined; extra: Schema } {
  const lines = (comment.split(/\n\s*\n/).at(-1) ?? "").split("\n").map((line) => line.trim());
  const extra = lines.filter((line) => line.startsWith("@schema ")).map((line) => JSON.parse(line.slice(8)));
  const description = lines.filter((line) => line && !/^(@schema|==) /.test(line)).join(" ");
  return { description: description || undefined, extra: Object.assign({}, ...extra) };
}
