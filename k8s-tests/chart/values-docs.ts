import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar, type YAMLMap } from "yaml";
import { packageRoot } from "../../src/platform/version";
import { freeVariables } from "./variables";

export const chartFolder = join(packageRoot, "charts/fleet-gateway");

type Schema = Record<string, unknown>;

interface Value {
  /** `gateway.replicas` */
  readonly path: string;
  readonly description: string;
  readonly default: unknown;
}

/** What values.yaml says of itself: a schema of it, and a row for each value. */
export function readValues(): { schema: Schema; rows: Value[] } {
  const document = parseDocument(readFileSync(join(chartFolder, "values.yaml"), "utf8"));
  if (document.errors.length > 0 || !isMap(document.contents)) throw new Error("values.yaml cannot be read.");
  const rows: Value[] = [];
  const root = objectSchema(document.contents, "", rows);
  const rules = JSON.parse(readFileSync(join(chartFolder, "schema-rules.json"), "utf8"));
  const properties = { ...(root.properties as Schema), global: { type: "object" } };
  return {
    schema: { $schema: "http://json-schema.org/draft-07/schema#", ...root, properties, allOf: rules.allOf },
    rows,
  };
}

function objectSchema(map: YAMLMap, path: string, rows: Value[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const [at, pair] of (map.items as Pair<Node, Node>[]).entries()) {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const { description = commonWords[key] ?? "", extra } = readComment(
      commentOf(pair.key) || (at === 0 ? commentOf(map) : ""),
    );
    const here = path ? `${path}.${key}` : key;
    const value = pair.value;
    // The keys of such a map are the user's own, or another software's.
    const open = key === "resources" || "additionalProperties" in extra;
    const leaf = !isMap(value) || value.items.length === 0 || open;
    if (leaf) rows.push({ path: here, description, default: (value as Scalar).toJSON() });
    const schema =
      key === "env"
        ? { type: "object", additionalProperties: false, properties: freeVariables(path) }
        : leaf
          ? leafSchema(value)
          : objectSchema(value as YAMLMap, here, rows);
    properties[key] = { ...(description ? { description } : {}), ...schema, ...extra };
  }
  return { type: "object", additionalProperties: false, properties };
}

/** What values of these names are, wherever they stand. */
const commonWords: Readonly<Record<string, string>> = {
  enabled: "Whether there is one.",
  resources: "Requests and limits of its containers.",
  nodeSelector: "Labels of the nodes that it may run on.",
  tolerations: "Taints that are tolerated.",
  affinity: "Further rules of its place.",
  minReplicas: "Fewest replicas.",
  maxReplicas: "Most replicas.",
  pullPolicy: "When the node pulls an image.",
  replicas: "How many.",
  port: "TCP port of the server.",
  region: "Region of the store.",
  className: "IngressClass; the cluster's default when empty.",
};

const commentOf = (node: unknown): string =>
  (node as { commentBefore?: string | null } | undefined)?.commentBefore ?? "";

function leafSchema(node: unknown): Schema {
  if (isSeq(node)) return { type: "array" };
  if (isMap(node)) return { type: "object" };
  const value = isScalar(node) ? node.value : null;
  return { type: typeof value === "number" ? "integer" : typeof value };
}

/** The comment's last paragraph, without its line `@schema {…}`, which adds to the schema. */
function readComment(comment: string): { description: string | undefined; extra: Schema } {
  const lines = (comment.split(/\n\s*\n/).at(-1) ?? "").split("\n").map((line) => line.trim());
  const extra = lines.filter((line) => line.startsWith("@schema ")).map((line) => JSON.parse(line.slice(8)));
  const description = lines.filter((line) => line && !line.startsWith("@schema ")).join(" ");
  return { description: description || undefined, extra: Object.assign({}, ...extra) };
}

export const schemaText = (): string => `${JSON.stringify(readValues().schema, null, 2)}\n`;

const opening = "<!-- values: made from values.yaml by `npm run docs:chart` -->";
const closing = "<!-- end of values -->";

/** README.md with its table of values made anew; what stands around it is kept. */
export function readmeText(): string {
  const readme = readFileSync(join(chartFolder, "README.md"), "utf8");
  const [before, rest] = readme.split(opening);
  const after = rest?.split(closing)[1];
  if (before === undefined || after === undefined) throw new Error("README.md has no place for the values.");
  const rows = readValues().rows.map(
    ({ path, default: value, description }) =>
      `| \`${path}\` | \`${cell(value)}\` | ${description.replaceAll("|", "\\|")} |`,
  );
  const table = ["| value | default | what it is |", "|---|---|---|", ...rows].join("\n");
  return `${before}${opening}\n${table}\n${closing}${after}`;
}

const cell = (value: unknown): string => (JSON.stringify(value) ?? "").replaceAll("|", "\\|");
