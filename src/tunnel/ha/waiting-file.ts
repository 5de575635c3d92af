import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Logger } from "../../platform/process/log";

/**
 * Is there while a daemon waits for the one before it on its node. It then has no port on which a probe could ask it, and
 * counts as ready, or an upgrade would never end the one before. Beside the file at `path`.
 */
export function waitingFile(path: string, log: Logger): (isWaiting: boolean) => void {
  const file = join(dirname(path), "waiting");
  return (isWaiting) => {
    try {
      if (!isWaiting) return rmSync(file, { force: true });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "");
    } catch (error) {
      log.warn({ err: error }, "Cannot tell this pod's probe that the daemon waits");
    }
  };
}
