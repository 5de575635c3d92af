import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { closeServer, listen } from "../../http/server/listen";
import { atEndOfFile } from "../../testing";
import { freshFolder } from "../../testing/fresh-servers";
import { eventually } from "../../testing/until";
import { type ConsoleWorld, consoleWorld, openAs } from "./console-world";
import { pmtilesFile, vectorTile } from "./pmtiles-file";

const MAGENTA = { r: 255, g: 0, b: 255 };
/** Of the plain ground and its graticule, in light colours. */
const GROUND = { r: 0xe6, g: 0xeb, b: 0xf1 };
const LINE = { r: 0xb9, g: 0xc4, b: 0xd0 };
/** Of a base map's water, in light colours. */
const WATER = { r: 0xa9, g: 0xcb, b: 0xe6 };

const picture = (background: object) =>
  sharp({ create: { width: 256, height: 256, channels: 3, background: background as never } })
    .png()
    .toBuffer();

/** The map of a mission, in a world with this configuration. */
async function missionMap(world: ConsoleWorld) {
  const window = await world.browser.newWindow({ colorScheme: "light" });
  const user = await world.gateway.newUser();
  const { id } = (await user.api.post("/mission", { name: "Field" })).body;
  const page = await openAs(world, window, user, `/plan/mission/${id}`);
  await page.getByRole("button", { name: "Show all" }).waitFor();
  return { page, window };
}

/** How many of the map's pixels have a colour, but for rounding. */
async function pixelsOf(page: Page, { r, g, b }: typeof WATER): Promise<number> {
  const shot = await page.locator(".map-canvas canvas").screenshot();
  const { data, info } = await sharp(shot).raw().toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let at = 0; at < data.length; at += info.channels) {
    const off = [r, g, b].some((value, channel) => Math.abs(value - (data[at + channel] as number)) > 3);
    if (!off) count += 1;
  }
  return count;
}

const isPainted = (page: Page, colour: typeof WATER) =>
  eventually("the base map is drawn", async () => (await pixelsOf(page, colour)) > 1_000);

describe("a .pmtiles file", () => {
  let world: ConsoleWorld;
  const file = join(freshFolder("maps"), "region.pmtiles");
  beforeAll(async () => {
    world = await consoleWorld({ CONSOLE_MAP_FILE: file });
  });

  test("of pictures is the ground of the map, and is asked of the gateway alone", async () => {
    writeFileSync(file, pmtilesFile(2, await picture(MAGENTA), { attribution: "<b>Somebody</b>" }));
    const { page, window } = await missionMap(world);
    await isPainted(page, MAGENTA);
    expect(window.faults).toEqual([]);
    await window.context.close();
  });

  test("of vectors is drawn by its layers", async () => {
    writeFileSync(file, pmtilesFile(1, vectorTile("water"), {}));
    const { page, window } = await missionMap(world);
    await isPainted(page, WATER);
    expect(window.faults).toEqual([]);
    await window.context.close();
  });

  test.each(["missing", "broken"])("that is %s is said, and the plain ground stays", async (what) => {
    if (what === "missing") rmSync(file);
    else writeFileSync(file, "no map at all".repeat(100));
    const { page, window } = await missionMap(world);
    await page.getByText("The base map does not load.").waitFor();
    expect(await pixelsOf(page, GROUND)).toBeGreaterThan(1_000);
    expect(await pixelsOf(page, LINE)).toBeGreaterThan(1_000);
    expect(window.faults).toEqual([]);
    await window.context.close();
  });
});

test("a .pmtiles file that is an object of the store is the ground, too", async () => {
  const world = await consoleWorld({ CONSOLE_MAP_OBJECT: "maps/region.pmtiles" });
  await world.gateway.deps.store.write(
    "maps/region.pmtiles",
    pmtilesFile(2, await picture(MAGENTA), {}),
    "application/vnd.pmtiles",
  );
  const { page, window } = await missionMap(world);
  await isPainted(page, MAGENTA);
  expect(window.faults).toEqual([]);
  await window.context.close();
});

describe("a style of another origin", () => {
  /** Serves a style with one picture of its own origin, and one of a third. */
  async function serveStyle(): Promise<{ url: string; asked: string[] }> {
    const tile = await picture(MAGENTA);
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("Access-Control-Allow-Origin", "*");
      if (request.url !== "/style.json") {
        response.setHeader("Content-Type", "image/png");
        response.end(tile);
        return;
      }
      const raster = (tiles: string) => ({ type: "raster", tileSize: 256, tiles: [tiles], maxzoom: 0 });
      const sources = { own: raster(`${url}/{z}/{x}/{y}.png`), third: raster(`${third}/{z}/{x}/{y}.png`) };
      const layers = Object.keys(sources).map((source) => ({ id: source, source, type: "raster" }));
      response.end(JSON.stringify({ version: 8, sources, layers: layers.reverse() }));
    });
    atEndOfFile(() => closeServer(server));
    const url = await listen(server, 0, "127.0.0.1");
    return { url, asked };
  }
  /** Nobody is there; the policy must not even let it be asked. */
  const third = "http://127.0.0.2:9";

  test("is the ground of the map, and the policy admits its origin alone", async () => {
    const { url, asked } = await serveStyle();
    const world = await consoleWorld({ CONSOLE_MAP_STYLE: `${url}/style.json` });
    const { page, window } = await missionMap(world);
    await isPainted(page, MAGENTA);
    expect(asked).toEqual(expect.arrayContaining(["/style.json", "/0/0/0.png"]));
    await page.getByText("The base map does not load.").waitFor();
    await eventually("the refusal is reported", () =>
      window.faults.some((fault) => fault.startsWith(`violation connect-src ${third}`)),
    );
    const others = window.faults.filter((fault) => !fault.includes(third) && !fault.includes(url));
    expect(others).toEqual([]);
    await window.context.close();
  });

  test("that does not answer leaves the plain ground, and is said", async () => {
    const world = await consoleWorld({ CONSOLE_MAP_STYLE: "http://127.0.0.1:9/style.json" });
    const { page, window } = await missionMap(world);
    await page.getByText("The base map does not load.").waitFor();
    await isPainted(page, GROUND);
    await window.context.close();
  });
});
