import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { DomainError } from "../domain/errors";

/** Where the console's pages ask for the base map. */
export const MAP_FILE_PATH = "/assets/map.pmtiles";

/** A part of a file. */
interface FilePart {
  readonly body: Readable;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly etag: string;
}

/** Reads the bytes from `start` to `end`, or to the file's end when that comes first. */
export type ReadPart = (start: number, end: number) => Promise<FilePart>;

/** Bytes of one reply. A tile has less than one MB, so a longer part is cut. */
const MAX_PART = 8 * 2 ** 20;

/** Answers GET and HEAD of a range of one file, which may be far larger than what a browser ever needs of it. */
export function mapFile(readPart: ReadPart): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== MAP_FILE_PATH || (ctx.method !== "GET" && ctx.method !== "HEAD")) return next();
    const [, first, last = ""] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(ctx.get("Range")) ?? [];
    if (first === undefined || (last !== "" && Number(last) < Number(first))) {
      ctx.status = 416;
      ctx.body = { error: "Ask for a range of bytes: `Range: bytes=0-16383`." };
      return;
    }
    const start = Number(first);
    const end = Math.min(last === "" ? Number.POSITIVE_INFINITY : Number(last), start + MAX_PART - 1);
    await send(ctx, start, await readPart(start, end), end);
  };
}

async function send(ctx: Context, start: number, { body, size, etag }: FilePart, end: number): Promise<void> {
  ctx.set("Accept-Ranges", "bytes");
  ctx.set("ETag", etag);
  // Another file may take its place at any time.
  ctx.set("Cache-Control", "no-cache");
  if (start >= size) {
    body.destroy();
    ctx.status = 416;
    ctx.set("Content-Range", `bytes */${size}`);
    ctx.body = { error: `The file has ${size} bytes.` };
    return;
  }
  ctx.status = 206;
  ctx.type = "application/vnd.pmtiles";
  const last = Math.min(end, size - 1);
  ctx.set("Content-Range", `bytes ${start}-${last}/${size}`);
  ctx.length = last - start + 1;
  ctx.body = body;
}

/** A file of this machine. A missing one is answered with 404. */
export const partOfFile =
  (path: string): ReadPart =>
  async (start, end) => {
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) throw new DomainError("not_found", "The base map's file is missing.");
    const body = createReadStream(path, { start, ...(Number.isFinite(end) ? { end } : {}) });
    return { body, size: found.size, etag: `"${found.size.toString(16)}-${found.mtimeMs.toString(16)}"` };
  };
