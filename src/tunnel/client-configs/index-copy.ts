import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Logger } from "../../platform/process/log";

/**
 * The index as this node's daemon last knew it, for the next one, which knows its peers by it while the object store is
 * away. It decides nothing that the store does not say otherwise, and what cannot be read or written is no fault.
 */
export class IndexCopy {
  constructor(
    private readonly path: string,
    private readonly log: Logger,
  ) {}

  read(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch {
      return undefined;
    }
  }

  /** Whole or not at all, and for nobody else: whoever writes here says whose key is whose. */
  write(text: string): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      const draft = `${this.path}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, this.path);
    } catch (error) {
      this.log.warn({ err: error }, "the index of client configs cannot be kept on this node");
    }
  }
}
