import sharp from "sharp";
import type { Task } from "../../platform/jobs/worker";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetKey, thumbnailKey } from "./asset-names";
import { assetToDerive, keepDerived } from "./derivation";

/** Pixels that a thumbnail fits into. */
const BOX = { width: 480, height: 360 };
/** An image beyond this is kept, without a thumbnail: it is decoded in memory. */
const LARGEST_BYTES = 200 * 2 ** 20;

/** Upright as its EXIF says, as JPEG, which every mail program shows. Rejects when it is no picture. */
export const drawThumbnail = (image: Buffer): Promise<Buffer> =>
  sharp(image, { failOn: "none" })
    .rotate()
    .resize({ ...BOX, fit: "inside", withoutEnlargement: true })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 78 })
    .toBuffer();

export const makeThumbnailTask =
  (deps: { db: Db; store: ObjectStore; log: Logger }): Task =>
  async (payload) => {
    const { store, log } = deps;
    const asset = await assetToDerive(deps, payload);
    if (!asset || asset.thumbnail || asset.status !== "ready" || (asset.size ?? 0) > LARGEST_BYTES) return;
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(assetKey(asset))) chunks.push(chunk as Buffer);
    const drawn = await drawThumbnail(Buffer.concat(chunks)).catch((error) => {
      // Another try would find the same bytes.
      log.warn({ err: error, asset_id: asset.id }, "an image that no thumbnail can be drawn of");
      return undefined;
    });
    if (!drawn) return;
    await store.write(thumbnailKey(asset), drawn, "image/jpeg");
    await keepDerived(deps, asset, { thumbnail: true });
  };
