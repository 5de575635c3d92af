import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageRoot } from "../../platform/process/version";

/** The paths in the first column of a page's tables. */
const captionsOf = (page: string) =>
  [...readFileSync(join(packageRoot, page), "utf8").matchAll(/^\| `([^`]+)` \|/gm)].map(
    (match) => match[1] as string,
  );
const processes = captionsOf("docs/architecture.md");
const captioned = captionsOf("docs/folders.md");

/** A folder that holds nothing but folders needs no caption. */
function foldersWithFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const here = entries.some((entry) => entry.isFile()) ? [`${relative(packageRoot, folder)}/`] : [];
  return entries
    .filter((entry) => entry.isDirectory())
    .reduce((found, { name }) => found.concat(foldersWithFiles(join(folder, name))), here);
}

test("docs/folders.md captions every folder of the sources", () => {
  const folders = ["src", "cmd", "migrations"].flatMap((name) => foldersWithFiles(join(packageRoot, name)));
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((folder) => !captioned.includes(folder))).toEqual([]);
});

test("docs/architecture.md and docs/folders.md caption nothing twice", () => {
  const all = [...processes, ...captioned];
  expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([]);
});

test("docs/architecture.md and docs/folders.md name nothing that does not exist", () => {
  expect([...processes, ...captioned].filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
});

test("docs/architecture.md names every process", () => {
  const entrypoints = readdirSync(join(packageRoot, "cmd")).map((name) => `cmd/${name}`);
  expect(entrypoints.filter((entrypoint) => !processes.includes(entrypoint))).toEqual([]);
});

test("no folder of the repository holds more than 25 files", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: packageRoot, encoding: "utf8" }).trim().split("\n");
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(50);
  expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
});
