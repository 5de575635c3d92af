import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { packageRoot } from "../../platform/process/version";

const folder = join(packageRoot, "dist/console");
const page = readFileSync(join(folder, "index.html"), "utf8");

/** Bytes that a browser loads before the sign-in page is shown, gzipped. */
const MOST_BYTES = 60_000;

/** The scripts and styles that the page names, and the parts that its scripts import at once. */
function loadedAtFirst(): Set<string> {
  const loaded = new Set(
    [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string),
  );
  for (const path of loaded) {
    if (!path.endsWith(".js")) continue;
    const script = readFileSync(join(folder, path), "utf8");
    for (const [, name] of script.matchAll(/\bfrom\s*["']\.\/([^"']+)["']|\bimport\s*["']\.\/([^"']+)["']/g))
      if (name) loaded.add(`/assets/${name}`);
  }
  return loaded;
}

test("the first page loads at most 60 kB gzipped", () => {
  const loaded = loadedAtFirst();
  expect([...loaded].filter((path) => path.endsWith(".js")).length).toBeGreaterThan(0);
  expect([...loaded].filter((path) => path.endsWith(".css")).length).toBeGreaterThan(0);
  const bytes = ["/index.html", ...loaded].map((path) => readFileSync(join(folder, `${path}.gz`)).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(MOST_BYTES);
});

/** What is loaded when it is first shown: MapLibre with the reader of base maps, plots, videos. */
const LATER = /^(map-view|maplibre-gl-worker|base-file|plots|video)/;

test("all else loads at most 160 kB gzipped", () => {
  const names = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".gz"));
  const isLater = (name: string) => LATER.test(name);
  expect(names.filter(isLater).length).toBeGreaterThan(5);
  const bytes = names
    .filter((name) => !isLater(name))
    .map((name) => readFileSync(join(folder, "assets", name)).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(160_000);
});

test("the page has no script and no style of its own, which the policy would refuse", () => {
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
});

test("every file has a hash in its name, and its compressed forms hold the same", () => {
  const names = readdirSync(join(folder, "assets"));
  const originals = names.filter((name) => !/\.(gz|br)$/.test(name));
  expect(originals.length).toBeGreaterThan(5);
  for (const name of originals) {
    expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    const file = join(folder, "assets", name);
    const text = readFileSync(file);
    expect(gunzipSync(readFileSync(`${file}.gz`))).toEqual(text);
    expect(brotliDecompressSync(readFileSync(`${file}.br`))).toEqual(text);
  }
});
