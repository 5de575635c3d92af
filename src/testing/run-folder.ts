import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { endLeftover, isMarked } from "../laptop/servers/leftover";

/** Where the folder of this run is told to the workers that run the test files. */
export const runFolderVariable = "FLEET_TEST_FOLDER";
const prefix = "fleet-test-";

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

/** End every server that still works in the folder, and remove it. Synchronous: it also runs at process exit. */
export function clearRunFolderNow(folder: string): void {
  for (const { pidFile, workFolder } of serversIn(folder)) {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    // SIGQUIT: postgres ends its backends and goes without a checkpoint.
    for (const signal of ["SIGQUIT", "SIGKILL"] as const) {
      if (pid > 0 && isMarked(pid, workFolder)) process.kill(pid, signal);
      for (let waits = 0; waits < 100 && isMarked(pid, workFolder); waits++) sleepNow(10);
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Clear what runs that were killed have left. */
export async function clearAbandonedRuns(): Promise<void> {
  const folders = [memory, tmpdir()].filter(existsSync).flatMap((place) =>
    readdirSync(place)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(place, name)),
  );
  for (const folder of folders) {
    if (isAlive(Number.parseInt(basename(folder).slice(prefix.length), 10))) continue;
    for (const { pidFile, workFolder } of serversIn(folder))
      await endLeftover(pidFile, workFolder, "SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function serversIn(folder: string): { pidFile: string; workFolder: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === "postmaster.pid" || name === "redis.pid")
    .map(({ name, parentPath }) => ({ pidFile: join(parentPath, name), workFolder: parentPath }));
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
