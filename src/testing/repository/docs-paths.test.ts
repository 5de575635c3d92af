import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { packageRoot } from "../../platform/process/version";

const tracked = execFileSync("git", ["ls-files"], { cwd: packageRoot, encoding: "utf8" }).trim().split("\n");
const pages = tracked.filter((file) => file.endsWith(".md"));
const read = (page: string) => readFileSync(join(packageRoot, page), "utf8");

const roots = new Set(tracked.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
const endings = new Set(tracked.map(extname).filter((ending) => ending !== ""));

/** Files that a page names and this repository does not hold. */
const elsewhere = new Set([
  // Descriptions of the API, which the gateway serves.
  "/apispec.json",
  "/asyncapi.json",
  "/openapi.json",
  // In an archive of an execution.
  ...["execution.json", "mission.json", "commands.json", "stats.json", "manifest.json"],
  // Written by the laptop stack.
  ...["ready.json", "secrets.json"],
  // Written by the hub, on its node and in the object store.
  ...["/run/fleet-tunnel/lease.json", "vpn/index.json", "vpn/endpoints.json"],
  // Written on the drone's computer.
  "/opt/fleet/compose.yaml",
  // Written by the operator.
  ...["images.txt", "registry.yaml", "values.yaml"],
  // Examples of names.
  ...[
    "x.test.ts",
    "x.system.test.ts",
    "x.peers.test.ts",
    "x.console.test.ts",
    "NNNN_drone_colour.ts",
    "flights.tsx",
  ],
]);

/** Names in a page's code spans: files, and folders of this repository. Patterns such as `*.test.ts` are not names. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([\w./@-]*\w\/?)`/g)]
    .map(([, name]) => name as string)
    .filter((name) => endings.has(extname(name)) || (name.includes("/") && roots.has(name.split("/")[0])));

/** A path from the root or beside the page, the end of one path, or `index.ts`, which many folders have. */
function exists(page: string, name: string): boolean {
  if (elsewhere.has(name)) return true;
  // A program may be named without its ending: `cmd/worker`.
  const paths = [name, `${name}.ts`, join(dirname(page), name)];
  if (paths.some((path) => existsSync(join(packageRoot, path)))) return true;
  const matches = tracked.filter((file) => file.endsWith(`/${name}`));
  return matches.length === 1 || (name === "index.ts" && matches.length > 0);
}

test.each(pages)("%s names only files and folders that exist", (page) => {
  expect(namesIn(read(page)).filter((name) => !exists(page, name))).toEqual([]);
});

test.each(pages)("%s links only to files that exist", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string);
  expect(links.filter((link) => !existsSync(join(packageRoot, dirname(page), link)))).toEqual([]);
});

test.each(pages)("%s has no table cell of more than 20 words", (page) => {
  const cells = [...read(page).matchAll(/^\|(.+)\|$/gm)].flatMap(([, row]) =>
    (row as string).split(/(?<!\\)\|/),
  );
  expect(cells.filter((cell) => cell.trim().split(/\s+/).length > 20)).toEqual([]);
});

test("file names are found in the pages", () => {
  expect(pages.flatMap((page) => namesIn(read(page))).length).toBeGreaterThan(300);
});

test("a file that does not exist is noticed, and one that several folders have", () => {
  expect(exists("docs/install.md", "charts/fleet-gateway/values.yaml")).toBe(true);
  expect(exists("docs/architecture.md", "index.ts")).toBe(true);
  expect(exists("docs/install.md", "no-such-file.yaml")).toBe(false);
  expect(exists("docs/install.md", "metrics.ts")).toBe(false);
});

test("the list of files of elsewhere holds only files that a page names", () => {
  const named = new Set(pages.flatMap((page) => namesIn(read(page))));
  expect([...elsewhere].filter((name) => !named.has(name))).toEqual([]);
});
