import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationDocs } from "../platform/config";
import { packageRoot } from "../platform/process/version";
import type { AdminCommand } from "./command";

export const command: AdminCommand = {
  usage: "docs",
  summary: "Generate docs/configuration.md from the configuration schemas.",
  run: async () => writeFileSync(join(packageRoot, "docs", "configuration.md"), configurationDocs()),
};
