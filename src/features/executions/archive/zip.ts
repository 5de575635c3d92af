import { createHash } from "node:crypto";
import { PassThrough, Readable, Transform } from "node:stream";
import { ZipFile } from "yazl";

export interface Entry {
  readonly path: string;
  readonly modified: Date;
  /** Bytes, when known before. */
  readonly size?: number;
  /** Called when all entries before are written. */
  open(): Promise<Readable> | Readable;
}

export interface Written {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * A zip of these entries, one after the other, uncompressed: pictures and videos are compressed already, and what
 * is stored plainly is read by everything. Nothing is held in memory but what is under way.
 * The stream fails when an entry does. `onWritten` tells each entry's sum as soon as it is known.
 */
export function zipOf(entries: readonly Entry[], onWritten: (entry: Written) => void): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  const out = new PassThrough({ highWaterMark: 2 ** 20 });
  const fail = (error: Error) => {
    output.unpipe(out);
    out.destroy(error);
  };
  (zip as unknown as NodeJS.EventEmitter).on("error", fail);
  // Kept by the stream for whoever reads it next, also when nobody reads at this moment.
  out.on("error", () => undefined);
  let current: Readable | undefined;
  out.once("close", () => current?.destroy());
  for (const { path, modified, size, open } of entries) {
    zip.addReadStreamLazy(
      path,
      { mtime: modified, mode: 0o100644, compress: false, forceZip64Format: (size ?? 0) >= 0xffff_0000 },
      (give) => {
        Promise.resolve()
          .then(open)
          .then(
            (source) => {
              const counted = summed((sum) => onWritten({ path, ...sum }));
              source.once("error", (error) => {
                counted.destroy();
                fail(error);
              });
              current = source;
              give(null, source.pipe(counted));
            },
            (error: Error) => fail(error),
          );
      },
    );
  }
  zip.end();
  return output.pipe(out);
}

/** Passes everything on, and tells its size and sum at the end, before its reader learns of the end. */
function summed(tell: (sum: { size: number; sha256: string }) => void): Transform {
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
      tell({ size, sha256: hash.digest("hex") });
      end();
    },
  });
}

/** What has passed, for whoever passes a whole zip on. */
export function measured(stream: Readable): {
  stream: Readable;
  sum: Promise<{ size: number; sha256: string }>;
} {
  let passed: Transform | undefined;
  const sum = new Promise<{ size: number; sha256: string }>((resolve) => {
    passed = summed(resolve);
  });
  const through = passed as Transform;
  stream.on("error", (error) => through.destroy(error));
  // Kept by the stream for whoever reads it next, also when nobody reads at this moment.
  through.on("error", () => undefined);
  through.once("close", () => stream.destroy());
  return { stream: stream.pipe(through), sum };
}

export const textEntry = (path: string, modified: Date, text: () => string | Buffer): Entry => ({
  path,
  modified,
  open: () => Readable.from([Buffer.from(text())]),
});
