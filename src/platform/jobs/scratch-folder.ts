import { once } from "node:events";
import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A socket in the folder, on which its process listens. */
const OWNER = "owner";
/** Of any kind. Its owner may not listen yet, but does within much less than this, or never. */
const NEW = "fleet-new-";
const NEW_MS = 10 * 60_000;

export interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const prefixOf = (kind: string) => `fleet-${kind}-`;

/**
 * A folder for what is worth nothing when its process has ended. The process listens in it for as long as it lives: by
 * that another one tells a folder that was left behind, also after a restart of the container, where the ids of
 * processes begin anew.
 */
export async function openScratchFolder(kind: string, place = tmpdir()): Promise<ScratchFolder> {
  const made = await mkdtemp(join(place, NEW));
  const path = join(place, prefixOf(kind) + made.slice(-6));
  const owner = createServer((socket) => socket.destroy()).unref();
  const remove = async () => {
    await Promise.all(
      [made, path].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })),
    );
    owner.close();
  };
  try {
    owner.listen(join(made, OWNER));
    await once(owner, "listening");
    await rename(made, path);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

/**
 * Remove the folders of this kind whose process is gone, and those of any kind whose process was gone before they were
 * whole. Resolves with how many there were.
 */
export async function sweepScratchFolders(kind: string, place = tmpdir()): Promise<number> {
  const all = (await readdir(place)).map((name) => ({ name, path: join(place, name) }));
  const left: string[] = [];
  for (const { name, path } of all) {
    const settled = name.startsWith(prefixOf(kind)) || (name.startsWith(NEW) && (await isOld(path)));
    if (settled && (await isLeft(path))) left.push(path);
  }
  for (const path of left) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  return left.length;
}

async function isOld(folder: string): Promise<boolean> {
  // One that has its name by now is no longer new.
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && found.mtimeMs < Date.now() - NEW_MS;
}

/** Only where the system says so: one that cannot be asked is another's. */
async function isLeft(folder: string): Promise<boolean> {
  const socket = connect({ path: join(folder, OWNER) });
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return ["ECONNREFUSED", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "");
  } finally {
    socket.destroy();
  }
}
