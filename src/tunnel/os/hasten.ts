import { setPriority } from "node:os";

/** Put a process before what else this node computes, where that may be said. */
export function hasten(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Not allowed here: it runs as everybody else.
  }
}
