import { configSchemas, effectiveConfig, loadConfig } from "../platform/config";
import type { AdminCommand } from "./command";

export const command: AdminCommand = {
  usage: "config PROCESS",
  summary: "Print the configuration that a process would run with here, without secrets.",

  async run([name = ""]) {
    const schema = configSchemas[name];
    if (!schema)
      throw new Error(
        `There is no process "${name}"; it is one of ${Object.keys(configSchemas).join(", ")}.`,
      );
    const lines = effectiveConfig(schema, loadConfig(schema)).map(([key, value]) => `${key}=${value}`);
    process.stdout.write(`${lines.join("\n")}\n`);
  },
};
