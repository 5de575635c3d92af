import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { DecoderRequest } from "./decoder-request";

/** Larger images would not fit into the memory of this process. */
const MAX_PIXELS = 50_000_000;

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
  const { width, height, fit, format } = DecoderRequest.parse(JSON.parse(process.argv[2] as string));
  const image = sharp(await buffer(process.stdin), {
    failOn: "none",
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
  })
    .rotate()
    .resize({ width, height, fit, withoutEnlargement: fit === "inside" });
  const small =
    format === "jpeg"
      ? image.flatten({ background: "#ffffff" }).jpeg({ quality: 78 })
      : image.png({ palette: true });
  process.stdout.write(await small.toBuffer());
}

main().catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 2;
});
