import { Readable } from "node:stream";
import sharp from "sharp";
import { RefusedImage, shrinkImage } from "./shrink-image";

const box = { width: 480, height: 360, fit: "inside", format: "jpeg" } as const;
const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#246" } });
const shrink = (image: Buffer) => shrinkImage(Readable.from([image]), box);

test.each(["jpeg", "png", "webp", "tiff"] as const)("a %s is made small", async (format) => {
  const small = await shrink(await blank(1_200, 900).toFormat(format).toBuffer());
  expect(await sharp(small).metadata()).toMatchObject({ format: "jpeg", width: 480, height: 360 });
});

test.each([
  ["an SVG", async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ["a GIF", () => blank(9, 9).gif().toBuffer()],
  ["text", async () => Buffer.from("not an image")],
  ["nothing", async () => Buffer.alloc(0)],
  ["more than 50 megapixels", () => blank(8_000, 7_000).png().toBuffer()],
])("%s is refused", async (_, image) => {
  await expect(shrink(await image())).rejects.toThrow(RefusedImage);
});

test("an image that needs too much memory is refused, and the next one is made small", async () => {
  const deep = blank(7_000, 7_000).toColourspace("rgb16").ensureAlpha().png({ progressive: true });
  await expect(shrink(await deep.toBuffer())).rejects.toThrow(RefusedImage);
  expect((await shrink(await blank(90, 90).png().toBuffer())).length).toBeGreaterThan(0);
});

test("an error of the source is passed on, and is no refusal", async () => {
  const source = new Readable({ read: () => source.destroy(new Error("the store is away")) });
  await expect(shrinkImage(source, box)).rejects.toThrow("the store is away");
});
