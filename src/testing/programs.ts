import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../platform/version";
import { atEndOfFile } from "./clean-up";

/**
 * The real entrypoints, compiled as a release is, for a test file that runs them as processes. Returns the
 * folder that holds `cmd/`; it lies under node_modules, so that the programs find their packages from there.
 */
export function compiledPrograms(): string {
  const cache = join(packageRoot, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "programs-"));
  atEndOfFile(async () => rmSync(folder, { recursive: true, force: true }));
  const swc = join(packageRoot, "node_modules", ".bin", "swc");
  const sources = ["src", "cmd", "migrations", "--ignore", "**/*.test.ts,**/*.contract.ts"];
  execFileSync(swc, [...sources, "--out-dir", folder, "--quiet"], { cwd: packageRoot });
  return folder;
}
