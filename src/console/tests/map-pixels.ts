import type { Page } from "playwright-core";
import sharp from "sharp";

interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** The page's pixels of the map that have this colour (`#0d7a4a`), but for rounding. */
export async function mapPixels(page: Page, colour: string): Promise<Pixel[]> {
  const canvas = page.locator(".map-canvas canvas");
  const box = await canvas.boundingBox();
  if (!box) throw new Error("The map is not shown.");
  const { data, info } = await sharp(await canvas.screenshot())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const found: Pixel[] = [];
  for (let at = 0; at < data.length; at += info.channels) {
    const isOther = wanted.some((value, channel) => Math.abs(value - (data[at + channel] as number)) > 6);
    const pixel = at / info.channels;
    if (!isOther) found.push({ x: box.x + (pixel % info.width), y: box.y + Math.floor(pixel / info.width) });
  }
  return found;
}

/** The middle of the map's pixels of this colour. */
export async function middleOf(page: Page, colour: string): Promise<Pixel> {
  const pixels = await mapPixels(page, colour);
  const mean = (of: (pixel: Pixel) => number) =>
    pixels.reduce((sum, pixel) => sum + of(pixel), 0) / pixels.length;
  return { x: mean(({ x }) => x), y: mean(({ y }) => y) };
}
