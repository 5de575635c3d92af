import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";

/**
 * The files below src/ in whose text the pattern is, or of whose text it holds, by their paths there, in order. Tests and what they are made of are
 * not looked at, nor those that `but` matches.
 */
export function filesWith(pattern: RegExp | ((text: string) => boolean), but?: RegExp): string[] {
  const src = join(packageRoot, "src");
  const holds = typeof pattern === "function" ? pattern : (text: string) => pattern.test(text);
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|^testing\//.test(file) && !but?.test(file))
    .filter((file) => holds(readFileSync(join(src, file), "utf8")))
    .sort();
}
