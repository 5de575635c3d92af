import type { AssetType } from "./assets.schema";

export interface Content {
  readonly size: number;
  readonly sha256: string;
  readonly md5: string;
  /** Where the first bytes make it certain. */
  readonly kind: Kind | null;
}

/** Why the content is not what was announced, or undefined when it is. */
export function faultOf(content: Content, announced: { checksum: string | null; asset_type: AssetType }) {
  const { checksum } = announced;
  const found = checksum?.length === 32 ? content.md5 : content.sha256;
  if (checksum !== null && found !== checksum)
    return `The checksum of the ${content.size} bytes that arrived is ${found}, not ${checksum}.`;
  const { kind } = content;
  if (kind && announced.asset_type !== "logs" && kind.type !== announced.asset_type)
    return `This is ${kind.mime}, which is not of type ${announced.asset_type}.`;
  return undefined;
}

interface Kind {
  readonly type: AssetType | "other";
  readonly mime: string;
}

const ascii = (head: Buffer, at: number, text: string) =>
  head.toString("latin1", at, at + text.length) === text;

/**
 * The type, where the first bytes make it certain. Undefined for others: cameras write raw formats of their own.
 */
export function kindOf(head: Buffer): Kind | undefined {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return { type: "image", mime: "image/jpeg" };
  if (ascii(head, 1, "PNG\r\n")) return { type: "image", mime: "image/png" };
  if (ascii(head, 0, "GIF8")) return { type: "image", mime: "image/gif" };
  if (ascii(head, 0, "RIFF") && ascii(head, 8, "WEBP")) return { type: "image", mime: "image/webp" };
  if (ascii(head, 0, "II*\0") || ascii(head, 0, "MM\0*")) return { type: "image", mime: "image/tiff" };
  if (ascii(head, 0, "RIFF") && ascii(head, 8, "AVI ")) return { type: "video", mime: "video/x-msvideo" };
  if (ascii(head, 0, "\x1a\x45\xdf\xa3")) return { type: "video", mime: "video/webm" };
  if (ascii(head, 4, "ftyp")) {
    const brand = head.toString("latin1", 8, 12);
    if (/^(hei|mif1|msf1|avi)/.test(brand)) return { type: "image", mime: "image/heif" };
    return { type: "video", mime: brand.startsWith("qt") ? "video/quicktime" : "video/mp4" };
  }
  if (ascii(head, 0, "%PDF")) return { type: "other", mime: "application/pdf" };
  if (ascii(head, 0, "PK\x03\x04")) return { type: "other", mime: "application/zip" };
  if (/^\s*<(!doctype html|html|\?xml)/i.test(head.toString("latin1")))
    return { type: "other", mime: "text/html" };
  return undefined;
}
