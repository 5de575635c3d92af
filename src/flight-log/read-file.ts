import { closeSync, openSync, readSync } from "node:fs";
import { LogWindow } from "./analysis";

/**
 * Reads a file window by window. `take` has `count` new bytes in the window's room until it returns, and says whether
 * it wants more. Throws when the file cannot be read. It waits for the disk, so it is only for a thread that has
 * nothing else to do; the system reads ahead by itself.
 */
export function readLogFile(path: string, take: (window: LogWindow, count: number) => boolean): void {
  const file = openSync(path, "r");
  try {
    const window = new LogWindow();
    for (;;) {
      const count = readSync(file, window.room);
      if (count === 0 || !take(window, count)) return;
    }
  } finally {
    closeSync(file);
  }
}
