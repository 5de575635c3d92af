import { setPriority } from "node:os";

/** Work that no caller waits for, such as hashing an upload, runs after the work that callers wait for. */
export const NICENESS = 10;

/** Lowers the priority of the calling thread. On Linux a niceness is a thread's; elsewhere it would be the process's. */
export function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(NICENESS);
}
