import { join } from "node:path";
import { packageRoot } from "./version";

/** For `node --require`, to run a source. */
export const compileOnLoad = join(packageRoot, ".ci/compile-on-load.cjs");

const isFromSource = __filename.endsWith(".ts");

/**
 * A module of the project that a thread or a child process runs: its file, and Node's arguments for it. In tests it is a
 * source, which is compiled as it is loaded. `module` has no file extension.
 */
export const program = (module: string): { file: string; execArgv: string[] } => ({
  file: `${module}.${isFromSource ? "ts" : "js"}`,
  execArgv: isFromSource ? ["--require", compileOnLoad] : [],
});
