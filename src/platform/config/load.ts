import { readFileSync } from "node:fs";
import pino from "pino";
import type { z } from "zod";
import { createLogger } from "../process/log";
import { issueMessage } from "./issue-message";
import { findRetired } from "./retired";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every fault of a configuration at once. Names only: a value may be a secret. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.name = "ConfigError";
  }
}

/**
 * Read a process's configuration once. Every variable may be given as `NAME_FILE`, a path whose trimmed
 * content is the value; an empty variable counts as absent. `warn` is called once where variables of an earlier
 * release are still set.
 */
export function loadConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: Environment = process.env,
  warn: (retired: readonly string[]) => void = warnOfRetired,
): z.infer<Schema> {
  const { warnings, faults: unsafe } = findRetired(env);
  const faults = [...unsafe];
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = readVariable(name, env, faults);
    if (value !== undefined) given[name] = value;
  }
  const parsed = schema.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) {
    faults.push(`${issue.path.join(".") || "configuration"}: ${issueMessage(issue)}`);
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  if (warnings.length > 0) warn(warnings);
  return parsed.data;
}

/** On standard error: programs read the standard output of an admin command. */
function warnOfRetired(retired: readonly string[]): void {
  createLogger("config", "warn", pino.destination({ dest: 2, sync: true })).warn(
    { variables: retired },
    "Variables of an earlier release are still set",
  );
}

function readVariable(name: string, env: Environment, faults: string[]): string | undefined {
  const value = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (!file) return value;
  if (value !== undefined) {
    faults.push(`${name}: both ${name} and ${name}_FILE are set; keep one`);
    return undefined;
  }
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch (error) {
    faults.push(`${name}: ${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}
