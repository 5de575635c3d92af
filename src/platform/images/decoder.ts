import { buffer } from "node:stream/consumers";
import sharp from "sharp";

/** Larger images would not fit into the memory of this process. */
const MAX_PIXELS = 50_000_000;
/** The small copy fits into so many pixels. It is a JPEG, which every mail program shows. */
const BOX = { width: 480, height: 360 };

/**
 * A process that decodes one image, which may be hostile: it reads the image from standard input, writes the small copy to
 * standard output, and ends. A refused image ends it with status 2 and the reason on standard error. `shrinkImage` starts
 * it with limits.
 */
async function main(): Promise<void> {
  // Of all that libvips reads only these: it would run an SVG's filters.
  sharp.block({ operation: ["VipsForeignLoad"] });
  const loaders = ["Jpeg", "Png", "Webp", "Tiff"].map((name) => `VipsForeignLoad${name}Buffer`);
  sharp.unblock({ operation: loaders });
  sharp.concurrency(1);
  sharp.cache(false);
  const small = sharp(await buffer(process.stdin), {
    failOn: "none",
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
  })
    .rotate()
    .resize({ ...BOX, fit: "inside", withoutEnlargement: true })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 78 });
  process.stdout.write(await small.toBuffer());
}

main().catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 2;
});
