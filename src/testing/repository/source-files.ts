import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";

/**
 * The paths of the files below src/ that match the pattern, sorted. Tests, src/testing and paths that match `but` are
 * left out.
 */
export function filesWith(pattern: RegExp | ((text: string) => boolean), but?: RegExp): string[] {
  const src = join(packageRoot, "src");
  const holds = typeof pattern === "function" ? pattern : (text: string) => pattern.test(text);
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|^testing\//.test(file) && !but?.test(file))
    .filter((file) => holds(readFileSync(join(src, file), "utf8")))
    .sort();
}
