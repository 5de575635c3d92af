import sharp from "sharp";
import { z } from "zod";
import type { Db } from "../../platform/db";
import type { Task } from "../../platform/job-worker";
import type { Logger } from "../../platform/log";
import type { ObjectStore } from "../../platform/object-store";
import { assetFolder, assetKey, thumbnailKey } from "./asset-names";
import { findAsset, updateAsset } from "./assets.store";

export const AssetPayload = z.object({ asset_id: z.int() });

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
  ({ db, store, log }: { db: Db; store: ObjectStore; log: Logger }): Task =>
  async (payload) => {
    const { asset_id } = AssetPayload.parse(payload);
    const asset = await findAsset(db, asset_id);
    if (!asset || asset.thumbnail || asset.status !== "ready" || (asset.size ?? 0) > LARGEST_BYTES) return;
    const chunks: Buffer[] = [];
    for await (const chunk of await store.read(assetKey(asset))) chunks.push(chunk as Buffer);
    const drawn = await drawThumbnail(Buffer.concat(chunks)).catch((error) => {
      // Another try would find the same bytes.
      log.warn({ err: error, asset_id }, "an image that no thumbnail can be drawn of");
      return undefined;
    });
    if (!drawn) return;
    await store.write(thumbnailKey(asset), drawn, "image/jpeg");
    // Deleted meanwhile: what was written after the deletion must go too.
    if (!(await updateAsset(db, asset_id, { thumbnail: true }))) await store.deletePrefix(assetFolder(asset));
  };
