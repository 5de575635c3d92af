import { setPriority } from "node:os";

/** What is done for later, such as hashing an upload, goes after what a caller waits for. */
const NICENESS = 10;

/** Lowers the priority of the calling thread. On Linux a niceness is a thread's; elsewhere it would be the process's. */
export function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(NICENESS);
}
