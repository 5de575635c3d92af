import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { BATCH_BYTES } from "../../plans";
import { refuseFile } from "./plan-file";

/** A KMZ is a zip whose first `.kml` file is shown; by custom it is called doc.kml. */

const MAX_ENTRIES = 1_000;

/** The KML of the archive, of 1 MiB at most. Throws `invalid_input` with the entry. */
export async function kmlOfKmz(bytes: Buffer): Promise<Buffer> {
  const options = { autoClose: false, strictFileNames: true };
  const zip = await fromBufferPromise(bytes, options).catch((cause) =>
    refuseFile("file", "is not a zip archive", cause),
  );
  const entry = await firstKml(zip);
  if (!entry) refuseFile("file", "has no .kml file in it");
  if (entry.isEncrypted()) refuseFile(entry.fileName, "is encrypted");
  if (entry.uncompressedSize > BATCH_BYTES)
    refuseFile(entry.fileName, `is larger than ${BATCH_BYTES} bytes unpacked`);
  try {
    // yauzl ends the stream with an error as soon as the content is longer than the entry says.
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch (cause) {
    return refuseFile(entry.fileName, `cannot be unpacked: ${reason(cause)}`, cause);
  }
}

async function firstKml(zip: ZipFile): Promise<Entry | undefined> {
  if (zip.entryCount > MAX_ENTRIES) refuseFile("file", `has more than ${MAX_ENTRIES} entries`);
  let first: Entry | undefined;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.toLowerCase() === "doc.kml") first = entry;
      else if (/\.kml$/i.test(entry.fileName)) first ??= entry;
    }
  } catch (cause) {
    refuseFile("file", `is not a zip archive that is read: ${reason(cause)}`, cause);
  }
  return first;
}

/** Names of entries are the sender's. */
const reason = (cause: unknown): string => (cause as Error).message.slice(0, 100);
