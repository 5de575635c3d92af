import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { configSchemas } from "../../../src/platform/config";
import { packageRoot } from "../../../src/platform/process/version";

const templates = join(packageRoot, "charts/fleet-gateway/templates");

/** Where a process listens or is reached, and which files it has: Services, probes, policies and mounts are made for that. */
const isPlace = (name: string) => /_(PORT|PATH|FOLDER)$|^GATEWAY_PEER_/.test(name);

export const takesVariables = (component: string): boolean =>
  ["gateway", "relay", "worker", "tunnel"].includes(component);

/** Read by Node.js, before any configuration of ours is. */
const ofNode = {
  NODE_OPTIONS: { description: "Options of Node.js, such as --max-old-space-size=800.", type: "string" },
};

/**
 * The variables that the value `<component>.env` may give, each with its JSON schema: those of the process's own
 * configuration that are no secret and that no template names, and Node's.
 */
export function freeVariables(component: string): Record<string, object> {
  const named = namedIn(["_env.tpl", ...filesOf(component)]);
  const fields = Object.entries(configSchemas[component]?.shape ?? {}) as [string, z.ZodType][];
  const own = fields
    .map(([name, field]) => [name, inputOf(field)] as const)
    .filter(([name, { secret }]) => !secret && !isPlace(name) && !named.has(name))
    .map(([name, input]) => [name, asGiven(input)]);
  return { ...Object.fromEntries(own), ...ofNode };
}

/** Names of a process's variables that its configuration keeps unprinted. */
export const secretVariables = (process: string): string[] =>
  Object.entries(configSchemas[process]?.shape ?? {})
    .filter(([, field]) => inputOf(field as z.ZodType).secret)
    .map(([name]) => name);

const filesOf = (component: string) =>
  readdirSync(join(templates, component)).map((name) => join(component, name));

const namedIn = (files: readonly string[]) =>
  new Set(
    files.flatMap(
      (name) => readFileSync(join(templates, name), "utf8").match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? [],
    ),
  );

interface Input {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly secret?: boolean;
}

const inputOf = (field: z.ZodType): Input =>
  z.toJSONSchema(field, { io: "input", unrepresentable: "any", target: "draft-7" }) as Input;

/** A number or a flag may stand in the values as itself or, as in an environment, as text. */
function asGiven(input: Input): object {
  const { type, enum: words, minimum, exclusiveMinimum, maximum, description } = input;
  const about = { description };
  if (type === "integer" || type === "number") {
    const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
    const least = minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum;
    const pattern = numberAsText(input);
    return { ...about, type: [type, "string"], minimum: least, exclusiveMinimum, maximum: most, pattern };
  }
  if (words?.join() === "true,false") return { ...about, enum: [true, false, ...words] };
  if (words) return { ...about, enum: words };
  if (input.format === "uri") return { ...about, $ref: "#/definitions/url" };
  return { ...about, type: "string", minLength: input.minLength, pattern: input.pattern };
}

/** Of a bound a text can be held against its sign only; the process has the last word. */
function numberAsText({ type, minimum, exclusiveMinimum }: Input): string {
  const least = exclusiveMinimum ?? minimum ?? Number.NEGATIVE_INFINITY;
  const whole = least >= 1 && type === "integer" ? "0*[1-9]\\d*" : "\\d+";
  return `^${least < 0 ? "-?" : ""}${whole}${type === "integer" ? "" : "(\\.\\d+)?"}$`;
}
