import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "bench/README.md",
  ...readdirSync(join(packageRoot, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const read = (page: string) => readFileSync(join(packageRoot, page), "utf8");

/** Paths of this repository in a page's code spans: `src/relay/index.ts`, `docs/runbooks/`. Patterns are not paths. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|cmd|bench|charts|docs|k8s-tests|migrations|\.ci)\/[\w./@-]*\w\/?)`/g)].map(
    ([, path]) => path as string,
  );

test.each(pages)("%s names only files and folders that exist", (page) => {
  // A program may be named without its ending: `cmd/worker`.
  const exists = (path: string) => [path, `${path}.ts`].some((name) => existsSync(join(packageRoot, name)));
  expect(pathsIn(read(page)).filter((path) => !exists(path))).toEqual([]);
});

test.each(pages)("%s links only to files that exist", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string);
  const folder = join(packageRoot, page, "..");
  expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
});

test("paths are found in the pages", () => {
  expect(pages.flatMap((page) => pathsIn(read(page))).length).toBeGreaterThan(100);
});
