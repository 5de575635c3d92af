import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const LeaseFileContents = z.object({
  /** Milliseconds of the machine's monotonic clock up to which this hub may be active. */
  until: z.number(),
  /** Process id of the daemon that wrote it. */
  by: z.number(),
  /** Of the hub; see `LeaseFile.hub`. */
  hub: z.string(),
  boot: z.string(),
});
export type LeaseFileContents = z.infer<typeof LeaseFileContents>;

const BOOT_FILE = "/proc/sys/kernel/random/boot_id";

/**
 * Up to when this node may be the active hub: written by the daemon, read by the guard and by the next daemon.
 * A file that was written before the machine started anew, or that cannot be read, grants nothing.
 */
export class LeaseFile {
  private readonly boot = readFileSync(BOOT_FILE, "utf8").trim();
  private lockedFile: number | undefined;
  /**
   * Random, and kept in the file from daemon to daemon. It identifies the hub, since node names may be equal.
   */
  readonly hub: string;

  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.hub = this.read()?.hub ?? randomUUID();
  }

  /**
   * Keep every other daemon from going by this file until this process ends, however it does, or unlocks it. Throws
   * while another has it: two daemons with one lease would both serve, unnoticed.
   */
  lock(): void {
    const file = openSync(`${this.path}.lock`, "w");
    // The lock belongs to the open file, which no child of this process inherits but this one.
    const { status, error } = spawnSync("flock", ["--nonblock", "3"], {
      stdio: ["ignore", "ignore", "ignore", file],
    });
    if (status === 0) {
      this.lockedFile = file;
      return;
    }
    closeSync(file);
    throw new Error(
      error
        ? `${this.path} cannot be locked: ${error.message}`
        : `Another daemon of this node runs, or is paused: it has locked ${this.path}.`,
    );
  }

  unlock(): void {
    if (this.lockedFile !== undefined) closeSync(this.lockedFile);
    this.lockedFile = undefined;
  }

  read(): LeaseFileContents | undefined {
    try {
      const contents = LeaseFileContents.parse(JSON.parse(readFileSync(this.path, "utf8")));
      return contents.boot === this.boot ? contents : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whole or not at all. Throws when it cannot be written. */
  write(until: number): void {
    const contents: LeaseFileContents = { until, by: process.pid, hub: this.hub, boot: this.boot };
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(contents));
    renameSync(draft, this.path);
  }
}
