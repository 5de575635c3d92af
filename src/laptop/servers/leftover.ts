import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** How long a leftover server may take over its orderly end before it is killed. */
const orderlyEndMs = 15_000;

/**
 * End a program that outlived the stack which started it (its parent was killed), by the pid in the file it
 * left. A pid may have been given to another program since, so a process is only touched when `mark` is its
 * working folder, as with postgres and redis-server, or one of its arguments. Resolves when it is gone.
 */
export async function endLeftover(pidFile: string, mark: string, signal: NodeJS.Signals): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
  if (pid > 0 && isMarked(pid, mark)) {
    sendSignal(pid, signal);
    // A stopped process (a debugger, Ctrl-Z) handles no signal before SIGCONT.
    sendSignal(pid, "SIGCONT");
    const deadline = Date.now() + orderlyEndMs;
    while (isMarked(pid, mark)) {
      if (Date.now() > deadline) sendSignal(pid, "SIGKILL");
      await delay(20);
    }
  }
  // The pid belongs to another program by now; with the file the next server would not start.
  rmSync(pidFile, { force: true });
}

/** A process that has ended a moment ago needs no signal any more. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Whether a live process has `mark` as its working folder or as an argument. Another account's working folder
 * is closed to us without ptrace rights, but every command line is readable.
 */
export function isMarked(pid: number, mark: string): boolean {
  try {
    const folder = workingFolder(pid);
    // `npm start` names its script from the folder it works in.
    const named = (argument: string) => argument === mark || resolve(folder ?? "/", argument) === mark;
    return argumentsOf(pid).some(named) || folder === realpathSync(mark);
  } catch {
    // The process has ended, is a zombie, or belongs to another account: not ours.
    return false;
  }
}

function argumentsOf(pid: number): string[] {
  if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" })
    .trim()
    .split(" ");
}

/** Undefined where it is closed to us. */
function workingFolder(pid: number): string | undefined {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return undefined;
    }
  }
  const listing = execFileSync("lsof", ["-a", "-p", String(pid), "-d", "cwd", "-Fn"], { encoding: "utf8" });
  return listing
    .split("\n")
    .find((line) => line.startsWith("n"))
    ?.slice(1);
}
