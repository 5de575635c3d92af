import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** DataFlash, MAVLink and PX4 logs. */
const LOG = /\.(bin|tlog|ulg)$/i;
const SETTLED_MS = 500;
/** A file that still grows after this many checks is taken as it is. */
const MAX_CHECKS = 20;

/** The newest log that was written since then, after it has stopped growing. */
export async function findLog(folder: string, sinceMs: number): Promise<string | undefined> {
  let before: { file: string; size: number } | undefined;
  for (let check = 0; check < MAX_CHECKS; check++) {
    const now = await newestLog(folder, sinceMs);
    if (now && now.file === before?.file && now.size === before.size && now.size > 0) break;
    before = now;
    await delay(SETTLED_MS);
  }
  return before?.file;
}

async function newestLog(folder: string, sinceMs: number) {
  const names = (await readdir(folder)).filter((name) => LOG.test(name));
  const logs = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const { mtimeMs, size } = await stat(file);
      return { file, mtimeMs, size };
    }),
  );
  return logs.filter(({ mtimeMs }) => mtimeMs >= sinceMs).sort((a, b) => b.mtimeMs - a.mtimeMs)[0];
}

/** SHA-256 in hex, and bytes. */
export async function contentOf(file: string): Promise<{ checksum: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { checksum: hash.digest("hex"), size };
}
