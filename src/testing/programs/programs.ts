import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../../platform/process/version";
import { programsFolder, runFolder } from "../run-folder";

/**
 * The real entrypoints, compiled as a release is, once in a run, for a test file that runs them as processes. Returns the
 * folder that holds `cmd/`.
 */
export function compiledPrograms(): string {
  const folder = programsFolder(runFolder());
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const swc = join(packageRoot, "node_modules", ".bin", "swc");
  const sources = ["src", "cmd", "migrations", "--ignore", "**/*.test.ts,**/*.contract.ts,src/console/**"];
  try {
    execFileSync(swc, [...sources, "--out-dir", fresh, "--quiet"], { cwd: packageRoot });
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch (error) {
    // Another worker of the run was as quick.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
