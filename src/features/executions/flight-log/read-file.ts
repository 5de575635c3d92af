import { open } from "node:fs/promises";
import { LogWindow } from "./analysis";

/**
 * Reads a file window by window; while one is taken, the next is being filled. `take` has `count` new bytes in the
 * window's room until it returns, and says whether it wants more. Rejects when the file cannot be read.
 */
export async function readAhead(
  path: string,
  take: (window: LogWindow, count: number) => boolean,
): Promise<void> {
  const file = await open(path);
  try {
    let [window, next] = [new LogWindow(), new LogWindow()];
    let filling = file.read(window.room);
    for (;;) {
      const { bytesRead } = await filling;
      if (bytesRead === 0) break;
      filling = file.read(next.room);
      if (!take(window, bytesRead)) break;
      [window, next] = [next, window];
    }
    await filling;
  } finally {
    await file.close();
  }
}
