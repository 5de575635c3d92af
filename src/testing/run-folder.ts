import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { endLeftover, isMarked, sendSignal } from "../laptop/servers/leftover";
import { packageRoot } from "../platform/process/version";

/** The variable that passes the run's folder to jest's workers. */
export const runFolderVariable = "FLEET_TEST_FOLDER";
/** With the machine's name, because containers may share a folder but not their process ids. */
const prefix = `fleet-test-${hostname()}-`;

/** In memory, cloning a database takes 20 ms instead of the 400 ms of a slow disk. */
const memory = "/dev/shm";
const memoryWantedBytes = 2 ** 30;

/**
 * One folder holds everything a run of the tests puts on disk, servers' pid files included; its name carries
 * the pid of the run, so that a later one can tell an abandoned folder.
 */
export function makeRunFolder(): string {
  return mkdtempSync(join(hasRoom(memory) ? memory : tmpdir(), `${prefix}${process.pid}-`));
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= memoryWantedBytes;
}

export function runFolder(): string {
  const folder = process.env[runFolderVariable];
  if (!folder) throw new Error("No test run is set up: this code runs under jest only.");
  return folder;
}

/** Where a run compiles the programs to: under node_modules, so that they find their packages from there. */
export const programsFolder = (folder: string): string =>
  join(packageRoot, "node_modules", ".cache", `programs-${basename(folder)}`);

/** End every server that still works in the folder, and remove it. Synchronous: it also runs at process exit. */
export function clearRunFolderNow(folder: string): void {
  for (const { pidFile, workFolder, quickEnd } of serversIn(folder)) {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    for (const signal of [quickEnd, "SIGKILL"] as const) {
      if (pid > 0 && isMarked(pid, workFolder)) sendSignal(pid, signal);
      for (let waits = 0; waits < 100 && isMarked(pid, workFolder); waits++) sleepNow(10);
    }
  }
  removeFolders(folder);
}

function removeFolders(folder: string): void {
  for (const one of [folder, programsFolder(folder)])
    rmSync(one, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Removes servers and folders of killed runs. */
export async function clearAbandonedRuns(): Promise<void> {
  const folders = [memory, tmpdir()].filter(existsSync).flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ folder: join(parent, name), run: Number.parseInt(name.slice(prefix.length), 10) })),
  );
  for (const { folder, run } of folders) {
    if (isAlive(run)) continue;
    for (const { pidFile, workFolder, quickEnd } of serversIn(folder)) {
      await endLeftover(pidFile, workFolder, quickEnd);
    }
    removeFolders(folder);
  }
}

/** A server's pid file, and its fastest stop signal. SIGQUIT stops Postgres without a checkpoint. */
const quickEnds: Readonly<Record<string, NodeJS.Signals>> = {
  "postmaster.pid": "SIGQUIT",
  "redis.pid": "SIGTERM",
};

function serversIn(folder: string): { pidFile: string; workFolder: string; quickEnd: NodeJS.Signals }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(({ name, parentPath }) => {
    const quickEnd = quickEnds[name];
    return quickEnd ? [{ pidFile: join(parentPath, name), workFolder: parentPath, quickEnd }] : [];
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function sleepNow(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
