import { createHash } from "node:crypto";
import { PassThrough, Readable, Transform } from "node:stream";
import { ZipFile } from "yazl";

export interface Entry {
  readonly path: string;
  readonly modified: Date;
  /** Bytes, if known. */
  readonly size?: number;
  /** Called when all earlier entries are written. */
  open(): Promise<Readable> | Readable;
}

export interface Written {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * A zip of these entries, uncompressed: pictures and videos are compressed already. It is streamed one entry after the
 * other and fails when an entry does. `onWritten` gets the checksum of each entry.
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
  // The stream reports the error to its next reader; without a listener it would be uncaught.
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
              const counted = checksumming((sum) => onWritten({ path, ...sum }));
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

/** Passes all bytes through, and reports their size and checksum before the end. */
function checksumming(report: (sum: { size: number; sha256: string }) => void): Transform {
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

/** The stream with its size and checksum. */
export function withChecksum(stream: Readable): {
  stream: Readable;
  sum: Promise<{ size: number; sha256: string }>;
} {
  let passed: Transform | undefined;
  const sum = new Promise<{ size: number; sha256: string }>((resolve) => {
    passed = checksumming(resolve);
  });
  const through = passed as Transform;
  stream.on("error", (error) => through.destroy(error));
  // The stream reports the error to its next reader; without a listener it would be uncaught.
  through.on("error", () => undefined);
  through.once("close", () => stream.destroy());
  return { stream: stream.pipe(through), sum };
}

export const textEntry = (path: string, modified: Date, text: () => string | Buffer): Entry => ({
  path,
  modified,
  open: () => Readable.from([Buffer.from(text())]),
});
