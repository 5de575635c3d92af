import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of package.json, found from here: the same for the sources and for the compiled output. */
export const packageRoot = findRoot(__dirname);

/** This release, as package.json names it. */
export const version: string = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")).version;

function findRoot(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("package.json is missing above the program.");
  return findRoot(parent);
}
