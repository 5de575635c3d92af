import { createHash, type KeyObject } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { openPromise, type Entry as ZipEntry, type ZipFile } from "yauzl";
import { parseJson } from "../../../platform/parse-json";
import { fingerprintOf, MANIFEST, Manifest, manifestIsSigned, SIGNATURE } from "./manifest";

/** The faults of an archive, one sentence each with the file's name; empty when it is as it was signed. */
interface ArchiveVerification {
  readonly faults: readonly string[];
  readonly manifest: Manifest | undefined;
}

/** Bytes. A manifest lists a few hundred files. */
const MAX_MANIFEST = 64 * 2 ** 20;

/** Checks a downloaded archive with the public key of the service. Rejects when the file cannot be read. */
export async function verifyArchive(file: string, publicKey: KeyObject): Promise<ArchiveVerification> {
  let zip: ZipFile;
  try {
    zip = await openPromise(file, { autoClose: false, strictFileNames: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code) throw error;
    return { faults: [`This is not a readable zip file: ${(error as Error).message}`], manifest: undefined };
  }
  try {
    return await verify(zip, publicKey);
  } finally {
    zip.close();
  }
}

async function verify(zip: ZipFile, publicKey: KeyObject): Promise<ArchiveVerification> {
  const faults: string[] = [];
  const entries = new Map<string, ZipEntry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) faults.push(`${entry.fileName} is in the archive twice.`);
      else entries.set(entry.fileName, entry);
    }
  } catch (error) {
    faults.push(`The list of files cannot be read: ${(error as Error).message}`);
  }

  const read = (path: string) =>
    readWhole(zip, entries.get(path)).catch((error: Error) => {
      faults.push(`${path} cannot be read: ${error.message}`);
      return undefined;
    });
  for (const path of [MANIFEST, SIGNATURE]) if (!entries.has(path)) faults.push(`${path} is missing.`);
  const text = await read(MANIFEST);
  const signature = await read(SIGNATURE);
  if (!text || !signature) return { faults, manifest: undefined };
  if (!manifestIsSigned(text, signature.toString("utf8"), publicKey))
    faults.push(`${MANIFEST} is not signed with the key ${fingerprintOf(publicKey)}.`);
  const parsed = Manifest.safeParse(parseJson(text.toString("utf8")));
  if (!parsed.success) return { faults: [...faults, `${MANIFEST} cannot be read.`], manifest: undefined };

  const known = new Set([MANIFEST, SIGNATURE]);
  for (const { path, size, sha256 } of parsed.data.files) {
    known.add(path);
    const entry = entries.get(path);
    const found = entry && (await sumOf(zip, entry).catch((error: Error) => error));
    if (!found) faults.push(`${path} is missing.`);
    else if (found instanceof Error) faults.push(`${path} cannot be read: ${found.message}`);
    else if (found.sha256 !== sha256 || found.size !== size) faults.push(`${path} was altered.`);
  }
  for (const path of entries.keys()) if (!known.has(path)) faults.push(`${path} was added.`);
  return { faults, manifest: parsed.data };
}

async function readWhole(zip: ZipFile, entry: ZipEntry | undefined): Promise<Buffer | undefined> {
  if (!entry) return undefined;
  if (entry.uncompressedSize > MAX_MANIFEST) throw new Error("it is too large");
  return buffer(await zip.openReadStreamPromise(entry));
}

async function sumOf(zip: ZipFile, entry: ZipEntry): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { size, sha256: hash.digest("hex") };
}
