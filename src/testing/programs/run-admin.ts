import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { compiledPrograms } from "./programs";

const run = promisify(execFile);

/** The real operator's shell in a process of its own. Rejects when it fails; `code` and `stderr` are on the error. */
export function runAdmin(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { PATH = "" } = process.env;
  return run(process.execPath, [join(compiledPrograms(), "cmd/admin.js"), ...args], {
    env: { PATH, ...env },
  });
}
