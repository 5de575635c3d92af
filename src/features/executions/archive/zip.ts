import { createHash } from "node:crypto";
import { PassThrough, pipeline, Readable, Transform } from "node:stream";
import { ZipFile } from "yazl";

export interface ZipEntry {
  readonly path: string;
  readonly modified: Date;
  /** Bytes, if known. */
  readonly size?: number;
  /** Called when all earlier entries are written. */
  open(): Promise<Readable> | Readable;
}

interface Checksum {
  readonly size: number;
  readonly sha256: string;
}

export interface ZippedFile extends Checksum {
  readonly path: string;
}

/**
 * A zip of these entries, uncompressed: pictures and videos are compressed already. It is streamed one entry after the
 * other and fails when an entry does. `onWritten` gets the checksum of each entry.
 */
export function zipOf(entries: readonly ZipEntry[], onWritten: (entry: ZippedFile) => void): Readable {
  const zip = new ZipFile();
  const out = new PassThrough({ highWaterMark: 2 ** 20 });
  let current: Readable | undefined;
  pipeline(zip.outputStream, out, () => current?.destroy());
  const fail = (error: Error) => void out.destroy(error);
  (zip as unknown as NodeJS.EventEmitter).on("error", fail);
  for (const { path, modified, size, open } of entries) {
    const add = async (give: (error: null, stream: Readable) => void) => {
      current = await open();
      const counted = checksumming((sum) => onWritten({ path, ...sum }));
      give(
        null,
        pipeline(current, counted, (error) => error && fail(error)),
      );
    };
    zip.addReadStreamLazy(
      path,
      { mtime: modified, mode: 0o100644, compress: false, forceZip64Format: (size ?? 0) >= 0xffff_0000 },
      (give) => void add(give).catch(fail),
    );
  }
  zip.end();
  return out;
}

/** Passes all bytes through, and reports their size and checksum before the end. */
function checksumming(report: (sum: Checksum) => void): Transform {
  const hash = createHash("sha256");
  let size = 0;
  return new Transform({
    highWaterMark: 2 ** 20,
    transform(chunk: Buffer, _encoding, pass) {
      hash.update(chunk);
      size += chunk.length;
      pass(null, chunk);
    },
    flush(end) {
      report({ size, sha256: hash.digest("hex") });
      end();
    },
  });
}

/** The stream with its size and checksum, which are known at its end. */
export function withChecksum(stream: Readable): { stream: Readable; sum: Promise<Checksum> } {
  let report: (sum: Checksum) => void = () => undefined;
  const sum = new Promise<Checksum>((resolve) => {
    report = resolve;
  });
  return { stream: pipeline(stream, checksumming(report), () => undefined), sum };
}

export const textEntry = (path: string, modified: Date, text: () => string | Buffer): ZipEntry => ({
  path,
  modified,
  open: () => Readable.from([Buffer.from(text())]),
});
