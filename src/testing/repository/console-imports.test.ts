import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "@swc/core";
import { packageRoot } from "../../platform/process/version";

const sources = execFileSync("git", ["ls-files", "src", "cmd", "bench", "migrations"], {
  cwd: packageRoot,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));

const isConsole = (file: string) => file.startsWith("src/console/");
const isBrowserTest = (file: string) => file.startsWith("src/console/tests/");

/** What the source imports, types and parts that are loaded later included. Names in strings are no imports. */
function importsOf(source: string, tsx: boolean): string[] {
  const { body } = parseSync(source, { syntax: "typescript", tsx, target: "es2022" });
  const atOnce = body.flatMap((item) => ("source" in item && item.source ? [item.source.value] : []));
  const later = [...source.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, name]) => name as string);
  return [...atOnce, ...later];
}

/** The imports of a file: those of the repository as paths from its root, packages as they are. */
const pathsFrom = (file: string): string[] =>
  importsOf(readFileSync(join(packageRoot, file), "utf8"), file.endsWith("x")).map((name) =>
    name.startsWith(".") ? join(dirname(file), name) : name,
  );

test("the console imports itself, src/client and packages that are made for a browser", () => {
  const allowed =
    /^src\/(console|client)\/|^preact(\/|-iso\/|$)|^(@preact\/signals|socket\.io-client|maplibre-gl|pmtiles|hls\.js|uplot|geojson|uqr)(\/|$)/;
  const checked = sources.filter((file) => isConsole(file) && !isBrowserTest(file));
  expect(checked.length).toBeGreaterThan(20);
  expect(
    checked.flatMap((file) =>
      pathsFrom(file)
        .filter((path) => !allowed.test(path))
        .map((path) => `${file} imports ${path}`),
    ),
  ).toEqual([]);
});

test("no file of a process imports the console", () => {
  const others = sources.filter((file) => !isConsole(file));
  expect(others.length).toBeGreaterThan(500);
  expect(others.filter((file) => pathsFrom(file).some((path) => /^src\/console\//.test(path)))).toEqual([]);
});

test("imports are found, those of types and of parts that are loaded later too", () => {
  const source =
    'import type { A } from "./a"; import "./b.css"; export { c } from "../c"; const d = () => import("./d");';
  expect(importsOf(source, true)).toEqual(["./a", "./b.css", "../c", "./d"]);
});
