import { Readable } from "node:stream";
import sharp from "sharp";
import { RefusedImage, shrinkImage } from "./shrink-image";

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#246" } });
const shrink = (image: Buffer | Readable) =>
  shrinkImage(async () => (image instanceof Readable ? image : Readable.from([image])));
const small = () => blank(90, 90).png().toBuffer();

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

/** 16 bits of four channels, interlaced: decoding it takes 400 MB and seconds. */
const heavy = () =>
  blank(7_000, 7_000).toColourspace("rgb16").ensureAlpha().png({ progressive: true }).toBuffer();

test("an image that needs too much memory is refused, and the next one is made small", async () => {
  await expect(shrink(await heavy())).rejects.toThrow(RefusedImage);
  expect((await shrink(await small())).length).toBeGreaterThan(0);
});

test("an image that needs too much processor time is refused", async () => {
  const limits = { memoryKib: 2_000_000, cpuSeconds: 1, ms: 60_000 };
  const image = await heavy();
  const shrunk = shrinkImage(async () => Readable.from([image]), limits);
  await expect(shrunk).rejects.toThrow(RefusedImage);
});

test("an image whose source stalls is no refusal", async () => {
  const stalled = new Readable({ read: () => undefined });
  const shrunk = shrinkImage(async () => stalled, { memoryKib: 400_000, cpuSeconds: 10, ms: 500 });
  await expect(shrunk).rejects.toThrow("The image did not arrive within 0.5 s.");
});

test("a decoder that dies while it reads is a refusal", async () => {
  const large = Readable.from(Array.from({ length: 4_000 }, () => Buffer.alloc(65_536)));
  await expect(shrink(large)).rejects.toThrow(RefusedImage);
});

test("an error of the source is passed on, and is no refusal", async () => {
  const source = new Readable({ read: () => source.destroy(new Error("the store is away")) });
  await expect(shrink(source)).rejects.toThrow("the store is away");
});

test.each([
  ["before it is read", () => new Readable().destroy()],
  [
    "while it is read",
    () => {
      const source: Readable = new Readable({ read: () => void source.destroy() });
      return source;
    },
  ],
])("a source that closes %s is no refusal", async (_, source) => {
  await expect(shrink(source())).rejects.toThrow("Premature close");
});

test("a source is opened when it is the image's turn, and one that cannot be opened holds up no other", async () => {
  const stalled = new Readable({ read: () => undefined });
  const first = shrink(stalled);
  const open = jest.fn().mockRejectedValue(new Error("the store is away"));
  const second = shrinkImage(open);
  const third = shrink(await small());
  expect(open).not.toHaveBeenCalled();
  stalled.destroy(new Error("stalled"));
  await expect(first).rejects.toThrow("stalled");
  await expect(second).rejects.toThrow("the store is away");
  expect((await third).length).toBeGreaterThan(0);
});
