import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { endLeftover, isMarked } from "../servers/leftover";

const lockName = "stack.pid";

/**
 * Take the state folder for this process: one stack at a time works in it. Children that a killed stack left
 * behind are ended by their components. Returns the function that gives the folder back.
 */
export function lockStateFolder(folder: string): () => void {
  makeFolder(folder);
  const lock = join(folder, lockName);
  for (;;) {
    try {
      writeFileSync(lock, `${process.pid}\n`, { flag: "wx" });
      return () => {
        if (holderOf(lock) === process.pid) rmSync(lock, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderOf(lock);
    if (isStack(holder))
      throw new Error(`The stack runs already (process ${holder}). Stop it with Ctrl-C first.`);
    rmSync(lock, { force: true });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `The state folder ${folder} cannot be used (${code}). Name another with --state FOLDER.`,
      {
        cause,
      },
    );
  }
}

/** NaN when the lock is gone. */
function holderOf(lock: string): number {
  return existsSync(lock) ? Number.parseInt(readFileSync(lock, "utf8"), 10) : Number.NaN;
}

/** Every stack is this same program, so its script is among the arguments of a live one. */
function isStack(pid: number): boolean {
  const script = process.argv[1];
  return pid > 0 && pid !== process.pid && script !== undefined && isMarked(pid, script);
}

/** Removes everything but the lock. Servers that still run in the folder are stopped first. */
export async function wipeStateFolder(folder: string): Promise<void> {
  const data = join(folder, "postgres", "data");
  await endLeftover(join(data, "postmaster.pid"), data, "SIGINT");
  const redis = join(folder, "redis");
  await endLeftover(join(redis, "redis.pid"), redis, "SIGTERM");
  for (const name of readdirSync(folder)) {
    if (name !== lockName) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
