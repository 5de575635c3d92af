import { once } from "node:events";
import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A socket in the folder, on which its process listens. */
const OWNER = "owner";
/** A folder of any kind whose owner does not listen yet. After this time it never will. */
const NEW = "fleet-new-";
const NEW_MS = 10 * 60_000;

interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const prefixOf = (kind: string) => `fleet-${kind}-`;

/**
 * A folder for files that are useless once their process has ended. The process listens on a socket in it, by which other
 * processes recognise an abandoned folder. Process ids would not do: they begin anew when the container restarts.
 */
export async function openScratchFolder(kind: string, parent = tmpdir()): Promise<ScratchFolder> {
  const made = await mkdtemp(join(parent, NEW));
  const path = join(parent, prefixOf(kind) + made.slice(-6));
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
 * Remove the abandoned folders of this kind, and those of any kind that were never completed. Resolves with their number.
 */
export async function sweepScratchFolders(kind: string, parent = tmpdir()): Promise<number> {
  const all = (await readdir(parent)).map((name) => ({ name, path: join(parent, name) }));
  const abandoned: string[] = [];
  for (const { name, path } of all) {
    const settled = name.startsWith(prefixOf(kind)) || (name.startsWith(NEW) && (await isOld(path)));
    if (settled && (await isAbandoned(path))) abandoned.push(path);
  }
  for (const path of abandoned) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  return abandoned.length;
}

async function isOld(folder: string): Promise<boolean> {
  // A folder that was renamed meanwhile is not old.
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && found.mtimeMs < Date.now() - NEW_MS;
}

/** When the system refuses the connection. A folder that another account closes to us is not abandoned. */
async function isAbandoned(folder: string): Promise<boolean> {
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
