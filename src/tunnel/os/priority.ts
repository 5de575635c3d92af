import { setPriority } from "node:os";

/** Set a process's niceness, where that is permitted. */
export function setProcessPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Not permitted here: it runs at the default priority.
  }
}
