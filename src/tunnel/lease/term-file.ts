import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const Term = z.object({
  /** Milliseconds of the machine's monotonic clock up to which this hub may be active. */
  until: z.number(),
  /** Process id of the daemon that wrote it. */
  by: z.number(),
  boot: z.string(),
});
export type Term = z.infer<typeof Term>;

const BOOT_FILE = "/proc/sys/kernel/random/boot_id";

/**
 * Up to when this node may be the active hub: written by the daemon, read by the guard and by the next daemon. What
 * was written before the machine started anew, or cannot be read, grants nothing.
 */
export class TermFile {
  private readonly boot = readFileSync(BOOT_FILE, "utf8").trim();

  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
  }

  read(): Term | undefined {
    try {
      const term = Term.parse(JSON.parse(readFileSync(this.path, "utf8")));
      return term.boot === this.boot ? term : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whole or not at all. Throws when it cannot be written. */
  write(until: number): void {
    const term: Term = { until, by: process.pid, boot: this.boot };
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(term));
    renameSync(draft, this.path);
  }
}
