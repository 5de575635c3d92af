import { closeSync, openSync, writeSync } from "node:fs";

/** Bytes gathered before they are written. No message of a log is longer. */
const BLOCK = 16_384;

/** A new file that is written in blocks. Each call throws what the file system says. */
export class BlockFile {
  private readonly descriptor: number;
  private readonly block = Buffer.alloc(BLOCK);
  private filled = 0;

  constructor(path: string) {
    this.descriptor = openSync(path, "wx");
  }

  flush(): void {
    writeSync(this.descriptor, this.block, 0, this.filled);
    this.filled = 0;
  }

  close(): void {
    this.flush();
    closeSync(this.descriptor);
  }

  /** Whole messages only, so that a log on the disk ends with one. */
  protected append(message: Buffer): void {
    if (BLOCK - this.filled < message.length) this.flush();
    this.filled += message.copy(this.block, this.filled);
  }
}
