import { extname } from "node:path";

/** The folder of all uploads. */
export const UPLOADS = "uploads/";

/** The folder of an asset's objects. Derived objects have a subfolder, which no file name can reach: names have no slash. */
export const assetFolder = (asset: { drone_id: number; id: number }): string =>
  `assets/${asset.drone_id}/${asset.id}/`;

export const assetKey = (asset: { drone_id: number; id: number; file_name: string }): string =>
  assetFolder(asset) + safeFileName(asset.file_name);

/** Where the drone's URL puts the content. A completed upload is copied to the asset's key, which no drone can write. */
export const uploadFolder = (asset: { drone_id: number; id: number }): string =>
  `${UPLOADS}${asset.drone_id}/${asset.id}/`;

export const uploadKey = (asset: { drone_id: number; id: number }): string => `${uploadFolder(asset)}content`;

export const thumbnailKey = (asset: { drone_id: number; id: number }): string =>
  `${assetFolder(asset)}derived/thumbnail.jpg`;

export const streamFolder = (asset: { drone_id: number; id: number }): string =>
  `${assetFolder(asset)}derived/hls/`;

/** Bytes: a key may have 1,024, an entry of a zip 65,535, and a file of most systems 255. */
const LONGEST = 180;

/**
 * The name in a form that is safe as an object's key, a zip entry and a saved file: its last segment, without separators,
 * leading dots and unprintable characters. Letters of every script and the extension stay.
 */
export function safeFileName(name: string): string {
  const last =
    name
      .normalize("NFC")
      .split(/[/\\]/)
      .findLast((part) => !/^[\s.]*$/.test(part)) ?? "";
  const plain = last
    .replaceAll(/[^\p{L}\p{M}\p{N}._ ()+,=@~-]/gu, "_")
    .replace(/^[\s.]+/, "")
    .replace(/[\s.]+$/, "");
  const extension = extname(plain);
  // A character that is cut in two becomes U+FFFD.
  const short = (text: string, bytes: number) =>
    Buffer.from(text)
      .subarray(0, bytes)
      .toString()
      .replace(/\ufffd+$/, "");
  const ending = Buffer.byteLength(extension) <= 20 ? extension : "";
  const stem = plain.slice(0, plain.length - ending.length);
  return short(stem, LONGEST - Buffer.byteLength(ending)) + ending || "file";
}
